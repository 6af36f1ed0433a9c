// `bgfetch push`: reads a payload, stores it, and only then runs hooks and fetches.

import ArgumentParser
import Config
import Core
import Formats
import Machine
import Running
import Store

struct PushCommand: ProgramCommand {
  static let heading = ("push", "Accept a push, which makes its feed due at once")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The payload, a JSON object; default: standard input.", completion: .file())
  var file: String?

  @Option(help: ArgumentHelp("Push this feed, without a payload.", valueName: "name"), completion: .feedNames)
  var feed: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("With --feed: add a key to the payload, for push.url.", valueName: "key=value"),
    transform: readPushValue)
  var values: [PushValue] = []

  @Flag(name: .customLong("run"), help: "Also fetch due feeds, unless a run is in progress.")
  var runs = false

  func validate() throws {
    if feed == nil, !values.isEmpty { throw ValidationError("--set needs --feed") }
    if feed != nil, file != nil { throw ValidationError("write a file or --feed, not both") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus { try await invocation.push(self) }
}

/// Reads `KEY=VALUE`.
private func readPushValue(_ text: String) throws -> PushValue {
  guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
    throw ValidationError("\"\(text)\" has no key and value; write KEY=VALUE")
  }
  let value = PushValue(name: String(text[..<equals]), text: String(text[equals...].dropFirst()))
  guard value.text.utf8.count <= PushValue.longest else {
    throw ValidationError("the value of \"\(value.name)\" is longer than \(PushValue.longest) bytes")
  }
  return value
}

extension Invocation {
  /// Stores a push and reports its effect; then runs hooks, and due feeds with `--run`.
  fileprivate func push(_ order: PushCommand) async throws -> ExitStatus {
    let bytes = try payload(order)
    let files = try configuration().settings
    let zone = try zone(files)
    try makeStateDirectory(files)
    // SQLite's busy wait is unfair with many writers, so pushes queue here first. After 10 s a push continues without
    // the lock, so that a stopped process does not block the others.
    let turn = try await FileLock.acquire(files.state + "/push.lock", clock: clock, patience: .seconds(10))
    let state = try await open(files, for: .writing).withCatalog()
    try await state.followRenames(.writing)
    let (settings, store) = (state.settings, state.store)
    let (payload, feed) = try state.parsePush(order, bytes)
    let known = try await store.feedState(feed.name) ?? FeedState()
    let now = clock.now()
    let push = try state.asUsageError(
      newPush(
        payload, feed: feed, label: FeedLabel(feed, known), hooks: settings.hooks,
        origin: EventOrigin(time: now, cause: .push),
        mark: String(UInt64.random(in: 0...UInt64.max), radix: 16), at: now, in: zone))
    if let pause = known.pause, pause.isActive(at: now) {
      report(PushAnswer(feed: feed.name, payload: payload, fate: .ignored(pause)), in: zone)
      turn?.release()
      guard order.runs, !isInHook else { return .success }
      return try await state.finish(order, feed.name)
    }
    let receipt = try await store.acceptPush(push, at: now)
    turn?.release()
    state.wakeWatch()
    var answer = PushAnswer(feed: feed.name, payload: payload, fate: .messagesOnly(push), receipt: receipt)
    if push.payload != nil {
      // A run reports its own decisions.
      let isShown = !order.runs && (console.isJSON || console.showsTables)
      answer.fate = .waiting(isShown ? try await state.pushDecision(feed, known) : nil)
    }
    report(answer, in: zone)
    return try await state.finish(order, feed.name)
  }

  /// The payload's bytes, at most one more than allowed; none if the command line has the values.
  private func payload(_ order: PushCommand) throws -> [UInt8] {
    guard order.feed == nil else { return [] }
    guard let file = order.file, file != "-" else {
      // On a terminal nothing is piped in; `-` reads a typed payload.
      if order.file == nil, StandardInput.isTerminal { throw ProgramFailure.usage(noPushText) }
      return try naming("the payload") { () throws(FileFailure) in
        try StandardInput.read(atMost: PushProblem.largest + 1)
      }
    }
    do throws(FileFailure) {
      try FileSafety.require(file)
      return try readFile(file, limit: ByteCount(Int64(PushProblem.largest)))
    } catch {
      if case .tooLarge = error.problem {
        throw ProgramFailure.usage(pushText(.tooLarge, among: []))
      }
      throw ProgramFailure.file(error, purpose: "the payload")
    }
  }

  /// Prints what happens to the push: a line of text, or JSON.
  private func report(_ answer: PushAnswer, in zone: Zone) {
    let text = fateText(answer, in: zone)
    if console.isJSON {
      console.print(pushJSON(answer, in: zone))
    } else if let text, console.showsTables {
      console.print("\(answer.feed)  \(text)")
    } else if let text, case .ignored = answer.fate {
      // A sender without a terminal must also learn that its pushes are ignored.
      console.say("\(answer.feed): \(text)")
    }
    if let warning = droppedText(answer) { console.say("bgfetch: \(warning)", .warning) }
  }
}

extension OpenedState {
  /// Parses the payload and finds its feed.
  fileprivate func parsePush(_ order: PushCommand, _ bytes: [UInt8]) throws -> (PushPayload, FeedSpec) {
    if let name = order.feed {
      let feed = try invocation.feed(named: name, in: settings)
      return (try asUsageError(pushPayload(feed: feed.name, values: order.values)), feed)
    }
    let payload = try asUsageError(readPush(bytes))
    let named = payload.feed.flatMap { FeedName($0) }.flatMap { settings.feeds[$0] }
    return (payload, try named ?? asUsageError(pushTarget(payload, among: settings.feeds.all)))
  }

  /// Turns a problem of the push into a usage error.
  fileprivate func asUsageError<Result>(
    _ body: @autoclosure () throws(PushProblem) -> Result
  ) throws -> Result {
    try restating(body()) { (error: PushProblem) in
      ProgramFailure.usage(pushText(error, among: settings.feeds.all))
    }
  }

  /// The decision when the feed's waiting pushes may cause a fetch.
  fileprivate func pushDecision(_ feed: FeedSpec, _ known: FeedState) async throws -> DueDecision {
    let known = stateUnderConfiguration(
      known, configuration: feed.fingerprint, request: feed.requestFingerprint)
    return Core.pushDecision(feed, known, try await planningContext(of: [feed]))
  }

  /// Runs hooks, and due feeds with `--run`, once the push is stored.
  fileprivate func finish(_ order: PushCommand, _ feed: FeedName) async throws -> ExitStatus {
    guard !invocation.isInHook else {
      // The run that started this hook delivers the events and handles the push.
      if order.runs { throw ProgramFailure.pushRunInHook }
      return .success
    }
    if order.runs {
      var options = RunOptions()
      options.cause = .push
      options.pushed = feed
      do {
        return try await invocation.run(options)
      } catch ProgramFailure.locked {
        if console.showsTables { console.print("the current run will handle it") }
      }
    }
    try await withEffects { try await deliverNow(settings, $0, cause: .push) }
    return .success
  }
}
