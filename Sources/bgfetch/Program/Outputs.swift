// The files of `snapshot` and `outputs`, and the same documents for commands.

import Core
import Host
import Publishing
import Sync

extension Invocation {
  /// The items of an output, with details, newest first.
  func publication(
    of output: OutputSpec, _ settings: Settings, _ store: any CommandStore
  ) async throws -> Publication {
    let feeds = settings.feeds.filter { feed in output.feeds.contains { feed.isSelected(by: $0) } }
    let items = try await store.items(
      feeds: feeds.map(\.name), unseenOnly: output.unseenOnly, since: nil, limit: output.limit,
      among: settings.feedNames)
    return try await publication(items, titled: output.title, settings, store)
  }

  /// Items with their details, ready to be written.
  func publication(
    _ items: [StoredItem], titled title: String?, _ settings: Settings, _ store: any CommandStore
  ) async throws -> Publication {
    let labels = itemLabels(settings, try await store.feedStates())
    let published = try await store.withDetails(items).compactMap { item in
      labels[item.feed].map { PublishedItem(item, feed: $0) }
    }
    return Publication(title: title ?? "bgfetch", updated: clock.now(), items: published)
  }

  /// Brings the files of `outputs` up to date; only those that differ are replaced.
  ///
  /// A file that cannot be written is a warning: nothing is lost, and the next change tries again.
  func writeOutputs(_ settings: Settings, _ store: any CommandStore) async {
    for output in settings.outputs {
      do {
        let publication = try await publication(of: output, settings, store)
        try write(
          document(publication, as: output.format, in: try zone(settings), showsImages: output.showsImages),
          to: output.path)
      } catch {
        for line in errorText(error).lines { console.say(line, .warning) }
      }
    }
  }

  private func write(_ text: String, to path: String) throws {
    let bytes = Array(text.utf8)
    do throws(FileFailure) {
      try FileSafety.require(path)
      if let before = try? readFile(path, limit: ByteCount(64 << 20), patience: .zero), before == bytes {
        return
      }
      try AtomicFile.replace(path, with: bytes, permissions: 0o644)
    } catch {
      throw ProgramFailure.file(error, purpose: "an output")
    }
  }
}

/// A publication in a format.
func document(
  _ publication: Publication, as format: OutputFormat, in zone: Zone, showsImages: Bool = false
) -> String {
  switch format {
  case .html: snapshotPage(publication, in: zone, showsImages: showsImages)
  case .atom: atomFeed(publication)
  case .rss: rssFeed(publication)
  case .jsonFeed: jsonFeed(publication)
  }
}
