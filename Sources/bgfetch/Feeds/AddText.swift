// Messages and questions of `bgfetch add`: the found feeds, the choice, the written entry.

import Config
import Core
import Machine

extension Invocation {
  /// Takes the only feed or the chosen one; on a terminal, asks.
  ///
  /// - Throws: `ProgramFailure.reported` if nothing was chosen.
  func choose(from finding: FoundFeeds, _ order: AddCommand) throws -> FoundFeed {
    let found = finding.feeds
    if let choice = order.choose {
      guard found.indices.contains(choice - 1) else {
        throw ProgramFailure.usage(
          "--choose \(choice): "
            + (finding.unread.isEmpty
              ? "the page has only \(counted(found.count, "feed"))"
              : "only \(counted(found.count, "feed")) of the page were read; add another by its own address"))
      }
      return found[choice - 1]
    }
    guard found.count + finding.unread.count > 1 else {
      guard let only = found.first else { throw ProgramFailure.reported(.allFailed) }
      return only
    }
    let zone = (try? zone(named: nil)) ?? .utc
    if console.isJSON {
      for (index, feed) in found.enumerated() {
        console.print(
          JSONValue([
            "type": "choice", "number": index + 1, "url": feed.address, "title": feed.title,
            "items": feed.items, "newest": feed.newest,
          ]))
      }
    } else {
      let shown = cleanText(URIReference(order.url).masked.text, limit: 200)
      let count = found.count + finding.unread.count
      console.say("\(shown) \(finding.unread.isEmpty ? "has" : "links to") \(count) feeds:")
      for line in choiceLines(found, zone: zone) { console.say(line) }
      if !finding.unread.isEmpty {
        console.say("  These were not read; to add one of them, use its address:")
        for line in unreadLines(finding.unread) { console.say(line) }
      }
    }
    if !console.isJSON, StandardInput.isTerminal, console.error.isTerminal {
      guard let number = askNumber(upTo: found.count) else { throw ProgramFailure.reported(.usage) }
      return found[number - 1]
    }
    throw ProgramFailure.usage("take one of them with --choose N")
  }

  /// Asks for a number; nil if the person chooses none.
  private func askNumber(upTo count: Int) -> Int? {
    for _ in 0..<3 {
      Console.write("Which one? 1 to \(count), or q for none [1]: ", to: .error)
      guard let line = readLine() else { return nil }
      let answer = line.filter { !$0.isWhitespace }.lowercased()
      if answer.isEmpty { return 1 }
      if let number = Int(answer), (1...count).contains(number) { return number }
      if ["q", "n", "0"].contains(answer) { return nil }
    }
    return nil
  }
}

/// The found feeds as a numbered list, their addresses below.
func choiceLines(_ found: [FoundFeed], zone: Zone) -> [String] {
  let width = String(found.count).count
  return found.enumerated().flatMap { index, feed in
    let number = String(index + 1)
    let title = cleanText(feed.title ?? "(untitled)", limit: 100)
    return [
      "  \(blanks(width - number.count))\(number)  \(title): \(contentText(feed, zone: zone))",
      "  \(blanks(width))  \(cleanText(feed.address, limit: 300))",
    ]
  }
}

/// The links that were not read, one line each.
func unreadLines(_ links: [FeedLink]) -> [String] {
  links.map { link in
    let title = link.title.map { cleanText($0, limit: 100) } ?? ""
    return "     " + (title.isEmpty ? "" : title + ": ") + cleanText(link.address.text, limit: 300)
  }
}

/// The number of items and the date of the newest.
private func contentText(_ feed: FoundFeed, zone: Zone) -> String {
  guard feed.items > 0 else { return "no items yet" }
  let day = try? TimeFormat("%F")
  let newest =
    feed.newest.flatMap { moment in day?.text(of: moment, in: zone) }.map { ", newest \($0)" } ?? ""
  return counted(feed.items, "item") + newest
}

extension Console {
  /// Prints the entries as they would be written.
  func show(_ added: [AddedFeed]) {
    guard !isJSON else { return added.forEach { print(addedJSON($0, isWritten: false)) } }
    Self.write(feedsText([]), to: .output)
    for feed in added {
      Self.write(String(feedsText([feed.feed]).dropFirst(feedsText([]).count)), to: .output)
      for line in feed.found.text { print("  # " + line) }
    }
  }

  /// Reports what was added, and what the next run does with it.
  func report(_ added: AddedFeed, zone: Zone) {
    guard !isJSON else { return print(addedJSON(added, isWritten: true)) }
    guard amount != .quiet else { return }
    let title = cleanText(added.found.title ?? "", limit: 200)
    let what = title.isEmpty || title == added.feed.name.text ? "added" : "added \"\(title)\" as"
    let isPage = added.feed.subscription.watched != nil
    let next =
      added.isContinued
      ? "it was there before, and continues where it stopped"
      : isPage
        ? "the first run stores its text, and later ones report what changes"
        : added.found.items == 0 ? nil : firstRunText(added.spec?.firstRun ?? .none)
    let content = [isPage ? nil : contentText(added.found, zone: zone), next]
      .compactMap(\.self).joined(separator: "; ")
    print("\(what) \(added.feed.name): \(content)")
    print("  \(cleanText(added.feed.subscription.url, limit: 300)) in \(added.file)")
    if added.feed.subscription.watched != nil, added.spec?.hasUsualInterval != false {
      print("  " + usualIntervalOfPages)
    }
    if added.found.hasFiles, !added.feed.subscription.downloads, added.spec?.download == nil {
      var feed = added.feed
      feed.subscription.downloads = true
      print("  its items have files, which are not downloaded; to download them, write in its place:")
      print("  " + feedsText([feed]).split(separator: "\n").dropFirst().joined())
    }
    for line in added.first?.nextSteps ?? [] { print(line) }
  }
}

private func firstRunText(_ rule: FirstRun) -> String {
  switch rule {
  case .none: "the first run stores them as seen"
  case .latest: "the first run announces the newest"
  case .all: "the first run announces all of them"
  case .newest(let count): "the first run announces the newest \(count)"
  }
}

private func addedJSON(_ added: AddedFeed, isWritten: Bool) -> JSONValue {
  JSONValue([
    "type": "added", "feed": added.feed.name, "url": added.feed.subscription.url, "title": added.found.title,
    "link": added.found.link, "items": added.found.items, "newest": added.found.newest,
    "file": isWritten ? added.file : nil,
    "text": added.feed.subscription.watched == nil ? nil : added.found.text,
  ])
}

/// Why no feed was found, and what to do.
func findingText(_ failure: FindingFailure) -> String {
  func shown(_ address: String) -> String { cleanText(address, limit: 300) }
  return switch failure {
  case .fetch(let address, .status(404)):
    "\(shown(address)): the server answered 404; check the address"
  case .fetch(let address, let failure): "\(shown(address)): \(failure.text)"
  case .otherJSON(let address, let mapping):
    "\(shown(address)): JSON that is not a feed; to follow its items, write them into the configuration:\n"
      + "  NAME: {url: \"\(shown(address))\", kind: json, json: {\(mapping)}}"
  case .noFeed(let address, isLogin: true):
    "\(shown(address)): a login page without a link to a feed; add the feed's own address"
  case .noFeed(let address, isLogin: false):
    "\(shown(address)): not a feed, and the page links to none; look for RSS or Atom on it, and add that address, or "
      + "watch the page itself with bgfetch add --watch"
  case .deadLinks(let address, let link, .status(404)):
    "\(shown(address)): the page links to the feed \(shown(link)), which is gone: the server answered 404"
  case .deadLinks(let address, let link, let failure):
    "\(shown(address)): the page links to the feed \(shown(link)), but: \(failure.text)"
  }
}
