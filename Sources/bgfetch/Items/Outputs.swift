// The files of `outputs`, and the same documents for `items --format`.

import Core
import Formats
import Machine
import Running
import Store

extension OpenedState {
  /// The items of an output, newest first.
  func publication(of output: OutputSpec) async throws -> Publication {
    // To read the names of all feeds takes long with a large catalog.
    let feeds =
      output.feeds == ["*"]
      ? nil
      : settings.feeds.parts.flatMap { part in
        part.filter { feed in output.feeds.contains { feed.isSelected(by: $0) } }.map(\.name)
      }
    let query = ItemQuery(
      feeds: feeds, unseenOnly: output.unseenOnly, starredOnly: output.starredOnly, limit: output.limit)
    let items = try await store.items(query, among: settings.feedNames)
    var publication = try await publication(items, titled: output.title, as: output.format)
    publication.isUnseen = output.unseenOnly
    publication.name = "output:" + String(Fingerprint(of: output.path).value, radix: 16)
    if output.unseenOnly, items.count == output.limit {
      let counts = try await store.unseenCounts()
      let counted = feeds ?? Array(settings.feedNames.known(among: Array(counts.keys)))
      publication.total = max(items.count, counted.reduce(0) { $0 + (counts[$1] ?? 0) })
    }
    return publication
  }

  /// Items with the details that a format needs, ready to be written.
  func publication(
    _ items: [StoredItem], titled title: String?, as format: OutputFormat
  ) async throws -> Publication {
    let labels = try await labels(of: items)
    var published: [PublishedItem] = []
    published.reserveCapacity(items.count)
    // The contents of all items may not fit into memory, and a page shows no more of them.
    var room = 8 << 20
    for part in items.parts(of: 100) {
      let files = try await ItemAssets(of: format == .html ? part.map(\.number) : [], in: store)
      for item in try await store.withDetails(part) {
        guard let label = labels[item.feed] else { continue }
        room -= item.record.details?.content?.utf8.count ?? 0
        var shown = item
        if format == .html, room < 0 { shown = try await untilCancelled { excerpted(item) } }
        var publishedItem = PublishedItem(shown, feed: label)
        publishedItem.file = files.firstPath(of: item)
        published.append(publishedItem)
      }
    }
    var publication = Publication(title: title ?? "bgfetch", updated: clock.now(), items: published)
    publication.hasStandardTitle = title == nil
    return publication
  }

  /// Updates the files of `outputs`; only files that differ are replaced.
  ///
  /// A file that cannot be written is a warning: nothing is lost, and the next change tries again.
  func writeOutputs() async {
    guard !settings.outputs.isEmpty else { return }
    var warnings: [String] = []
    do {
      // The items are read under the lock, so that older ones never replace newer ones.
      let path = settings.state + "/outputs.lock"
      guard let lock = try await FileLock.acquireUnlessCancelled(path, clock: clock) else { return }
      defer { lock.release() }
      for output in settings.outputs { warnings += try await write(output) }
    } catch is CancellationError {
      // The next run writes the rest.
      return
    } catch {
      warnings += errorText(error).lines
    }
    let mistake = ReportedMistake(of: .outputs, invocation)
    if warnings.isEmpty { return mistake.forget() }
    guard console.amount != .quiet || !mistake.isKnown(warnings, at: clock.now()) else { return }
    for warning in warnings { console.say(warning, .warning) }
  }

  /// Updates the file of an output; returns the lines of an error if that fails.
  ///
  /// - Throws: `CancellationError` if the run ended first.
  private func write(_ output: OutputSpec) async throws(CancellationError) -> [String] {
    if let missing = missingDirectory(of: output) { return [missing] }
    do {
      let (publication, zone) = (try await publication(of: output), try zone())
      let text = try await untilCancelled { document(publication, as: output.format, in: zone) }
      _ = try naming("output " + output.path) { () throws(FileFailure) in
        // A web server may read it.
        try AtomicFile.replace(output.path, with: Array(text.utf8), permissions: 0o644)
      }
      return []
    } catch let error as CancellationError {
      throw error
    } catch {
      return errorText(error).lines
    }
  }
}

/// The warning that the directory of an output does not exist; nil if it does.
func missingDirectory(of output: OutputSpec) -> String? {
  let directory = PathParts(output.path).directory
  guard fileIdentity(directory) == nil else { return nil }
  return "output \(output.path): the directory \(directory) does not exist; create it"
}

/// An item for a page that shows only the beginning of its text.
private func excerpted(_ item: StoredItem) -> StoredItem {
  guard let content = item.record.details?.content else { return item }
  var item = item
  if item.record.summary == nil { item.record.summary = plainText(fromHTML: content, limit: 2000) }
  item.record.details?.content = nil
  return item
}

/// A publication in a format.
func document(
  _ publication: Publication, as format: OutputFormat, in zone: Zone
) -> String {
  switch format {
  case .html: newsPage(publication, in: zone)
  case .atom: atomFeed(publication)
  case .jsonFeed: jsonFeed(publication)
  }
}
