// One bar.

/// A bar of so many columns.
///
/// Where nobody knows how much is to come, a piece of it wanders, a step for each `step` bytes that came: a bar that
/// stands still is a transfer that stands still.
func progressBar(_ received: Int64, of total: Int64?, width: Int, on screen: ProgressScreen) -> String {
  guard width > 0 else { return "" }
  let marks = screen.showsUnicode ? (done: "━", half: "╸", left: "─") : (done: "#", half: "", left: "-")
  func row(_ mark: String, _ count: Int) -> String { String(repeating: mark, count: max(0, count)) }
  func done(_ text: String) -> String {
    screen.showsColor && !text.isEmpty ? "\u{1B}[32m\(text)\u{1B}[0m" : text
  }
  func left(_ text: String) -> String {
    screen.showsColor && !text.isEmpty ? "\u{1B}[2m\(text)\u{1B}[0m" : text
  }

  guard let total, total > 0 else {
    let piece = min(width, 3)
    let ways = width - piece
    let place = ways > 0 ? Int(max(0, received) / step % Int64(2 * ways)) : 0
    let start = place <= ways ? place : 2 * ways - place
    return left(row(marks.left, start)) + done(row(marks.done, piece)) + left(row(marks.left, ways - start))
  }
  let share = min(1, Double(max(0, received)) / Double(total))
  let halves = received >= total ? 2 * width : min(2 * width - 1, Int(share * Double(2 * width)))
  let end = halves % 2 == 1 ? marks.half : ""
  let rest = width - halves / 2 - (end.isEmpty ? 0 : 1)
  return done(row(marks.done, halves / 2) + end) + left(row(marks.left, rest))
}

/// The bytes for one step of a bar without an end.
private let step: Int64 = 256 << 10
