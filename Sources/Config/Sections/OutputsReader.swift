// `snapshot` and `outputs`: files that are written from items.

import Core

/// Reads the files to write, in the order of the configuration.
///
/// `feeds` is nil if not all feeds are known; then words that select no feed are not reported.
func readOutputs(_ top: Section, feeds: FeedList?) -> [OutputSpec] {
  var outputs: [OutputSpec] = []
  var snapshot: String?
  top.read("snapshot", into: &snapshot, unset: nil) { $0.path(or: " or none") }
  if let snapshot {
    var page = OutputSpec(path: snapshot, format: .html)
    page.unseenOnly = true
    outputs.append(page)
  }
  let words = feeds.map { FeedWords($0) }
  let example = "a mapping such as {~/news.atom: {feeds: [\"@linux\"]}}"
  for entry in top["outputs"]?.entries(expecting: example) ?? [] {
    guard let output = readOutput(entry, feeds: words, in: top) else { continue }
    if outputs.contains(where: { $0.path == output.path }) {
      Field(entry, top.pass).report("\(shown(entry.key)) is listed twice", cure: "write another path")
    }
    outputs.append(output)
  }
  return outputs
}

private func readOutput(_ entry: Node.Entry, feeds: FeedWords?, in top: Section) -> OutputSpec? {
  let field = Field(entry, top.pass)
  guard let path = field.pathOfKey(),
    let keys = Section(field, path: "outputs.*", expecting: "{} or a mapping such as {unseen: true}")
  else { return nil }
  var format = OutputFormat(ofPath: path)
  keys.read("format", into: &format) { $0.choice(of: OutputFormat.self) }
  guard let format else {
    if keys["format"] == nil {
      field.pass.report(
        "\(shown(entry.key)) has no format", at: entry.place,
        cure: "write format: \(OutputFormat.words)")
    }
    return nil
  }
  var output = OutputSpec(path: path, format: format)
  output.unseenOnly = format == .html
  keys.read("feeds", into: &output.feeds) { $0.globs(feeds) }
  keys.read("unseen", into: &output.unseenOnly) { $0.flag() }
  keys.read("limit", into: &output.limit) { $0.wholeNumber(in: 1...5000) }
  keys.read("title", into: &output.title, unset: nil) { $0.someText() }
  keys.read("images", into: &output.showsImages) { $0.flag() }
  return output
}
