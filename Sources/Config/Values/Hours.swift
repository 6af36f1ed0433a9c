// Hours of the week, one text or a list of them.

import Core

extension Field {
  /// Hours of the week; those of a list are joined.
  func weeklyHours() -> WeeklyHours? {
    guard case .sequence(let nodes) = node.content else { return oneWeeklyHours() }
    guard !nodes.isEmpty else {
      report("\(name) is a list of nothing", cure: "write always, or windows such as mon-fri 08:00-18:00")
      return nil
    }
    let all = (elements(expecting: "hours of the week") ?? []).compactMap { $0.oneWeeklyHours() }
    guard let first = all.first else { return nil }
    return all.dropFirst().reduce(first) { $0.union($1) }
  }

  private func oneWeeklyHours() -> WeeklyHours? {
    guard let text = text(expecting: "hours of the week such as \"mon-fri 08:00-18:00\", or always") else {
      return nil
    }
    if let known = pass.expressions.hours[text] { return known }
    do throws(WeeklyHoursProblem) {
      let hours = try WeeklyHours(parsing: text)
      pass.expressions.hours[text] = hours
      return hours
    } catch {
      pass.report(
        "\(name): \(shown(error.what))", at: place(ofCharacter: error.column - 1), cure: shown(error.cure))
      return nil
    }
  }
}
