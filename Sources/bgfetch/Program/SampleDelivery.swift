// Running a hook with a sample event, as `bgfetch hooks test` does.

import Core
import Host

extension Invocation {
  /// Runs a hook with a sample of the first of its events.
  func runSample(of hook: HookSpec, _ settings: Settings) async -> HookEnd {
    let bus = SessionBus.find(environment: environment)
    let supervisor = Supervisor()
    let runner = HookRunner(
      supervisor: supervisor, secrets: SecretReader(supervisor: supervisor), environment: environment,
      hidden: settings.secretVariables, additions: bus?.additions ?? [:], home: home)
    let zone = (try? zone(settings)) ?? .utc
    return await runner.run(hookCall(hook, sampleEvent(for: hook, settings), replaces: "", in: zone))
  }

  private func sampleEvent(for hook: HookSpec, _ settings: Settings) -> Event {
    let kind = EventKind.allCases.first { hook.events.contains($0) } ?? .notification
    let link = "https://planet.example/sample"
    let fields: [EventField] = [
      EventField("feed.title", "Sample feed"), EventField("feed.link", "https://planet.example/"),
      EventField("item.id", "sample"), EventField("item.title", "A sample item"),
      EventField("item.link", link),
      EventField("item.published", .time(clock.now())), EventField("item.summary", "This is only a test."),
      EventField("item.author", "bgfetch"), EventField("title", "bgfetch"),
      EventField("body", "This is only a test."), EventField("sound", nil as String?),
      EventField("urgency", Urgency.normal.rawValue), EventField("identifier", "bgfetch.test"),
      EventField("link", link), EventField("count", 1), EventField("badge", 1),
      EventField("result", FetchResult.newData.rawValue), EventField("reason", reason(of: kind)),
      EventField("due", 1), EventField("new-data", 1), EventField("no-data", 0), EventField("failed", 0),
      EventField("exit-status", 0), EventField("summary", "1 due, 1 new-data (1 item), badge 1"),
    ]
    let asset = sampleAsset(of: kind, settings)
    return Event(
      id: "test.\(clock.now().secondsSince1970)", kind: kind, feed: FeedName("sample"), time: clock.now(),
      cause: .manual, fields: fields + asset)
  }
}

/// A file of the sample item, which is not there: a hook that looks for it fails.
private func sampleAsset(of kind: EventKind, _ settings: Settings) -> [EventField] {
  let isPlaced = kind == .assetPlaced
  return [
    EventField("asset.path", isPlaced ? settings.documents + "/sample/A sample item.mp3" : nil),
    EventField("asset.url", "https://planet.example/sample.mp3"), EventField("asset.type", "audio/mpeg"),
    EventField("asset.size", isPlaced ? .number(0) : EventField.Value.none),
    EventField(
      "asset.sha256", isPlaced ? "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" : nil),
  ]
}

/// A reason that an event of a kind may have.
private func reason(of kind: EventKind) -> String? {
  switch kind {
  case .transferFailed: "the server answered 404"
  case .authRequired: "the server answered 401"
  case .assetPlaced: nil
  default: "1 new"
  }
}

/// How a hook ended, in words, and whether it was told.
func hookEndText(_ end: HookEnd) -> (text: String, isDelivered: Bool) {
  switch end {
  case .exited(0, let printed, _):
    (printed.isEmpty ? "told" : "told; it printed \(cleanText(printed, limit: 200))", true)
  case .exited(let status, _, let errors):
    ("exit status \(status)" + said(errors), false)
  case .signalled(let signal): ("ended by signal \(signal)", false)
  case .timedOut: ("took longer than its timeout, and was ended", false)
  case .couldNotStart(let why): (why, false)
  case .suspended: ("suspended", false)
  }
}

/// What a hook said on standard error, as the rest of a sentence.
private func said(_ errors: String) -> String {
  let text = cleanText(errors, limit: 500)
  return text.isEmpty ? "" : ": " + text
}
