// `bgfetch items`: the stored items, newest first.

import ArgumentParser
import Core
import Formats
import Machine
import Running
import Store

struct ItemsCommand: ProgramCommand {
  static let heading = ("items", "List items, newest first")

  @OptionGroup var common: CommonOptions

  @OptionGroup var chosen: ChosenItems

  @Option(
    help:
      "Print each item by this template, for example \"{feed}: {item.title}\"; all as tsv (\(tsvColumns)), or as \(OutputFormat.words).",
    completion: .list(["tsv"] + OutputFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write \(OutputFormat.words) to this file, which is replaced.", valueName: "file"),
    completion: .file())
  var output: String?

  func validate() throws {
    if common.json, format != nil { throw ValidationError("write --json or --format, not both") }
    if output != nil, document == nil {
      throw ValidationError("--output needs --format \(OutputFormat.words)")
    }
  }

  /// The format of the whole output, unless each item has a line of its own.
  private var document: OutputFormat? { format.flatMap { OutputFormat(rawValue: $0) } }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let store = state.store
    let layout = document == nil ? try format.map { try itemLayout($0 == "tsv" ? tsvLayout : $0) } : nil
    let zone = try state.zone()
    let console = invocation.console
    let isTable = format == nil && console.showsTables
    let query = ItemQuery(limit: document == nil ? console.defaultLimit : 500)
    let (numbers, areNewest) =
      isTable
      ? try await state.numbers(of: chosen, query, orNewest: 5)
      : (try await state.numbers(of: chosen, query), false)
    if areNewest { console.say("nothing is unseen; the newest items:") }
    let items = try await store.items(numbered: numbers)
    if let document {
      var publication = try await state.publication(items, titled: nil, as: document)
      publication.isUnseen = chosen.unseen
      await store.close()
      try invocation.write(bgfetch.document(publication, as: document, in: zone), to: output)
      return .success
    }
    let labels = try await state.labels(of: items)
    let showsAssets = console.isJSON || layout?.placeholders.contains("asset.path") == true
    let assets = try await ItemAssets(
      of: showsAssets ? items.map(\.number) : [], in: store, withBucket: true, withAssets: true)
    if isTable {
      let lines = itemLines(
        items, now: invocation.clock.now(), in: zone, on: console.page,
        hasLinks: console.hasLinks, hasColor: console.hasColor)
      invocation.startPager()
      for line in lines { console.print(line) }
      if items.isEmpty { console.say(chosen.nothingThere) }
    }
    let showsDetails = console.isJSON || layout?.usesDetails == true
    // The contents of all items may not fit into memory.
    for portion in items.parts(of: 100) where !isTable {
      for item in showsDetails ? try await store.withDetails(portion) : portion {
        console.unwrapped.print(
          json: [itemJSON(item, labels, assets)],
          text: [layout.map { itemLine(item, $0, labels, assets, in: zone) } ?? itemLine(item, in: zone)])
      }
    }
    await store.close()
    if console.showsTables { await state.recordListing(of: chosen) }
    return .success
  }
}

/// The labels of the configured feeds.
typealias ItemLabels = [FeedName: FeedLabel]

extension OpenedState {
  /// The labels of the feeds that have some of these items, also of feeds that left the configuration.
  func labels(of items: [StoredItem]) async throws -> ItemLabels {
    let names = Set(items.map(\.feed))
    let left = names.subtracting(settings.feedNames.known(among: Array(names)))
    return try await store.labels(
      of: settings.feeds.named(names) + left.map { FeedSpec(name: $0, url: .plain("")) })
  }
}

/// The columns of `--format tsv`, for scripts.
private let tsvColumns = "number, seen or unseen, date, feed, title and link, with tabs between them"
private let tsvLayout = #"{item.number}\t{seen}\t{item.published}\t{feed}\t{item.title}\t{item.link}"#

/// The placeholders of `items --format`.
private let itemPlaceholders = detailPlaceholders.union([
  "item.number", "feed", "feed.title", "item.title", "item.link", "item.id", "item.published", "item.summary",
  "item.author",
  "seen", "asset.path",
])

/// Reads a template of `items --format`.
func itemLayout(_ text: String) throws -> Template {
  let template = try commandTemplate(
    text, formats: ["tsv"] + OutputFormat.allCases.map(\.rawValue), example: "item.title",
    among: itemPlaceholders)
  for case .placeholder(let name, let format?) in template.parts {
    guard name == "item.published" else {
      throw ProgramFailure.usage("--format: {\(name)} is not a time and takes no format")
    }
    _ = try restating(TimeFormat(format)) { (error: TextProblem) in
      ProgramFailure.usage("--format: \"\(format)\" \(error.text)")
    }
  }
  return template
}

/// Reads the template of `--format`, in which `\t` and `\n` are a tab and a line break.
///
/// A text without a placeholder would be the same line again and again: it is a mistyped format.
///
/// - Parameters:
///   - formats: the words that are formats and not templates.
///   - example: the placeholder that messages suggest.
///   - placeholders: all of them.
func commandTemplate(
  _ text: String, formats: [String], example: String, among placeholders: Set<String>
) throws -> Template {
  let template = try restating(Template(parsing: text).unescaped) { (error: TextProblem) in
    ProgramFailure.usage("--format: \(error.what) at character \(error.column); \(error.cure)")
  }
  guard !template.placeholders.isEmpty else {
    throw ProgramFailure.usage(
      "--format \"\(cleanText(text, limit: 100))\" is no format and has no placeholder; "
        + "write \(formats.joined(separator: ", ")), or a template such as \"{\(example)}\"")
  }
  for name in template.placeholders where !placeholders.contains(name) {
    let known = placeholders.sorted().map { "{\($0)}" }.joined(separator: ", ")
    throw ProgramFailure.usage("--format: there is no placeholder {\(name)}; allowed here: \(known)")
  }
  return template
}

/// An item as a line: its number, `*` if it is unseen, its date, feed and title.
func itemLine(_ item: StoredItem, in zone: Zone) -> String {
  let mark = item.record.isSeen ? " " : "*"
  return
    "\(item.number) \(mark) \(time(item.date, "%Y-%m-%d %H:%M", in: zone))  \(item.feed)  \(itemTitle(item.record))"
}

/// An item, formatted by a template.
func itemLine(
  _ item: StoredItem, _ template: Template, _ labels: ItemLabels, _ assets: ItemAssets, in zone: Zone
) -> String {
  template.filled { name, format in
    let text =
      switch name {
      case "item.number": String(item.number)
      case "item.link": item.record.link ?? ""
      case "item.id": item.id
      case "item.published": time(item.date, format, in: zone)
      case "seen": item.record.isSeen ? "seen" : "unseen"
      case "asset.path": assets.firstPath(of: item) ?? ""
      default:
        itemValue(
          name, format, of: item, label: labels[item.feed], in: zone,
          limit: 2 * Int(DetailBounds.mostContent.bytes))
      }
    return detailPlaceholders.contains(name) ? text : cleanText(text, limit: 8192)
  }
}

func itemJSON(_ item: StoredItem, _ labels: ItemLabels, _ assets: ItemAssets) -> JSONValue {
  JSONValue([
    "type": "item", "feed": item.feed, "feed-title": labels[item.feed]?.title ?? item.feed.text,
    "id": item.id, "title": itemTitle(item.record), "link": item.record.link,
    "published": item.record.published, "first-seen": item.firstSeen, "updated": item.updatedAt,
    "author": item.record.author, "summary": item.record.summary, "seen": item.record.isSeen,
    "assets": assets.json(of: item), "number": item.number,
  ]).adding(detailMembers(item.record.details, command: item.pageCommand))
}

/// The assets and transfers of some items, by item number.
struct ItemAssets {
  let assets: [Int64: [Asset]]
  let transfers: [Int64: [Transfer]]
  /// Whether an object of a bucket counts as a file.
  private let withBucket: Bool

  init(
    of items: [Int64], in store: Store, withBucket: Bool = false, withAssets: Bool = false
  ) async throws {
    assets = withAssets ? try await store.assetsOf(items) : [:]
    transfers = try await store.transfersOf(items)
    self.withBucket = withBucket
  }

  /// The assets of an item as JSON, each with its latest transfer.
  func json(of item: StoredItem) -> [JSONValue] {
    let transfers = transfers[item.number] ?? []
    return (assets[item.number] ?? []).filter { $0.index > 0 }.map { asset in
      let transfer = transfers.last { $0.asset.key == asset.key }
      let file = transfer?.file
      return JSONValue([
        "url": addressText(asset.url), "type": asset.type, "length": asset.length,
        "transfer": transfer?.number, "status": transfer?.status.rawValue,
        "reason": transfer.map(\.reason) ?? asset.omittedBy?.text, "path": file.flatMap(path),
        "size": file?.size, "sha256": file?.sha256, "gone": file.map { path(of: $0) == nil } ?? false,
      ])
    }
  }

  /// The path of the item's first placed file that still exists.
  func firstPath(of item: StoredItem) -> String? {
    (transfers[item.number] ?? []).lazy.compactMap { $0.file.flatMap(path) }.first
  }

  /// The path of a placed file, or nil if the file is gone: a person may have moved it, and runs do not notice that.
  private func path(of file: PlacedFile) -> String? {
    let exists = withBucket && BucketSpec.isBucket(file.path) || fileIdentity(file.path) != nil
    return file.removed == nil && exists ? file.path : nil
  }
}
