// A push as the command line orders it: read, stored, and only then told and run.

import Core
import FeedReading
import Host
import Sync

/// A push as the command line orders it.
struct PushOrder: Sendable {
  /// Where its payload comes from.
  enum Source: Sendable {
    /// A file; `-` and nil are standard input.
    case payload(file: String?)
    /// The command line itself.
    case values(feed: String, [PushValue])
  }

  /// Where its payload comes from.
  var source: Source
  /// Whether it runs what is due.
  var runs: Bool
}

extension Invocation {
  /// Takes a push: once this returns, or hooks are told of it, it is stored.
  func push(_ order: PushOrder) async throws -> ExitStatus {
    let bytes = try payload(order.source)
    let settings = try configuration().settings
    let zone = try zone(settings)
    let (payload, feed) = try pushed(order.source, bytes, settings)
    try makeStateDirectory(settings)
    // Of very many writers SQLite leaves one out until its patience ends; here each has its turn. It is no more than that:
    // whoever does not give it back, such as a stopped process, keeps nobody out.
    let turn = try await FileLock.acquire(settings.pushLock, clock: clock, patience: .seconds(10))
    let store = try await openStore(settings, for: .writing)
    let state = try await store.feedState(feed.name) ?? FeedState()
    let now = clock.now()
    let push = try worded(settings) { () throws(PushProblem) in
      try newPush(
        payload, feed: feed, label: FeedLabel(feed, state), hooks: settings.hooks,
        origin: EventOrigin(run: 0, time: now, cause: .push),
        mark: String(UInt64.random(in: 0...UInt64.max), radix: 16), at: now, in: zone)
    }
    if let pause = state.pause, pause.holds(at: now) {
      say(PushAnswer(feed: feed.name, payload: payload, fate: .ignored(pause)), in: zone)
      turn?.release()
      guard order.runs, environment["BGFETCH_EVENT_ID"] == nil else { return .success }
      return try await goOn(after: order, settings, store, zone)
    }
    let receipt = try await store.takePush(push, configured: Set(settings.feeds.map(\.name)), at: now)
    turn?.release()
    WakeFile.touch(settings.wakeFile)
    var answer = PushAnswer(feed: feed.name, payload: payload, fate: .messagesOnly(push), receipt: receipt)
    if push.payload != nil {
      // A run says by itself what it does; and what nobody reads need not be found out.
      let isSaid = !order.runs && (console.isJSON || console.showsAnswers)
      answer.fate = .waiting(isSaid ? try await pushDecision(feed, state, settings, store) : nil)
    }
    say(answer, in: zone)
    return try await goOn(after: order, settings, store, zone)
  }

  /// The payload's bytes, one more than allowed where it has more; none where the command line has it.
  private func payload(_ source: PushOrder.Source) throws -> [UInt8] {
    guard case .payload(let file) = source else { return [] }
    guard let file, file != "-" else {
      // Whoever types it says so by the dash.
      if file == nil, StandardInput.isTerminal { throw ProgramFailure.usage(noPushText) }
      do throws(FileFailure) {
        return try StandardInput.read(atMost: PushProblem.largest + 1)
      } catch {
        throw ProgramFailure.file(error, purpose: "the payload")
      }
    }
    do throws(FileFailure) {
      try FileSafety.require(file)
      return try readFile(file, limit: ByteCount(Int64(PushProblem.largest)))
    } catch {
      if case .tooLarge = error.problem {
        throw ProgramFailure.usage(pushText(.tooLarge(bytes: 0), among: []))
      }
      throw ProgramFailure.file(error, purpose: "the payload")
    }
  }

  /// What the push says, and its feed.
  private func pushed(
    _ source: PushOrder.Source, _ bytes: [UInt8], _ settings: Settings
  ) throws -> (PushPayload, FeedSpec) {
    switch source {
    case .values(let name, let values):
      let feed = try feed(named: name, in: settings)
      let payload = try worded(settings) { () throws(PushProblem) in
        try pushPayload(feed: feed.name, values: values)
      }
      return (payload, feed)
    case .payload:
      return try worded(settings) { () throws(PushProblem) in
        let payload = try readPush(bytes)
        return (payload, try pushTarget(payload, among: settings.feeds))
      }
    }
  }

  /// Does something that may refuse the push, and says why as a wrong command line.
  private func worded<Result>(
    _ settings: Settings, _ body: () throws(PushProblem) -> Result
  ) throws -> Result {
    do throws(PushProblem) {
      return try body()
    } catch {
      throw ProgramFailure.usage(pushText(error, among: settings.feeds))
    }
  }

  /// When what waits of the feed's pushes may cause a fetch.
  private func pushDecision(
    _ feed: FeedSpec, _ state: FeedState, _ settings: Settings, _ store: any CommandStore
  ) async throws -> DueDecision {
    let state = stateUnderConfiguration(
      state, configuration: feed.fingerprint, request: feed.requestFingerprint)
    return Core.pushDecision(
      feed, state, try await planningContext(settings, store, options: RunOptions()))
  }

  /// Says what becomes of the push: in one line to a person, as an object to a script.
  private func say(_ answer: PushAnswer, in zone: Zone) {
    let text = fateText(answer, in: zone)
    if console.isJSON {
      console.print(pushJSON(answer, in: zone))
    } else if let text, console.showsAnswers {
      console.print("\(answer.feed)  \(text)")
    } else if let text, case .ignored = answer.fate, !console.isQuiet {
      // Whoever sends pushes for nothing is to know.
      console.say("\(answer.feed): \(text)")
    }
    for warning in [textlessText(answer), droppedText(answer)].compactMap(\.self) {
      console.say("bgfetch: \(warning)", .warning)
    }
  }

  /// What follows once the push is stored: hooks are told, and what is due is run.
  private func goOn(
    after order: PushOrder, _ settings: Settings, _ store: any CommandStore, _ zone: Zone
  ) async throws -> ExitStatus {
    guard environment["BGFETCH_EVENT_ID"] == nil else {
      // The run whose hook this is tells what there is to tell, and takes the push.
      if order.runs { throw ProgramFailure.pushRunInHook }
      return .success
    }
    if order.runs {
      var options = RunOptions()
      options.cause = .push
      do {
        return try await run(RunOrder(feeds: [], options: options, waits: false))
      } catch ProgramFailure.locked {
        if console.showsAnswers { console.print("the run at work takes it") }
      }
    }
    let world = LiveWorld(invocation: self, settings: settings, store: store, zone: zone)
    try await Sync.deliverNow(settings, world.effects { _ in }, cause: .push)
    world.shutDown()
    return .success
  }
}

extension Settings {
  /// The file of the lock that gives pushes their turns.
  fileprivate var pushLock: String { state + "/push.lock" }
}

extension Console {
  /// Whether a person reads what is said where a script needs no word.
  fileprivate var showsAnswers: Bool { output.isTerminal && !isQuiet && !isJSON }
}
