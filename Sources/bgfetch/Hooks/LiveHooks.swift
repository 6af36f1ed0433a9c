// Hooks, by programs and webhooks, the badge file and the outputs.

import Core
import Machine
import Running

extension LiveWorld {
  var hookEffects: HookEffects {
    let invocation = state.invocation
    let runner = HookRunner(invocation, state.settings, openEnvironment, uploads)
    var effects = HookEffects(
      updateBadge: { number in try await state.updateBadge(to: number) },
      run: { await runner.run($0) },
      session: SessionBus.find(environment: invocation.environment).map { $0.login })
    effects.writeOutputs = { await state.writeOutputs() }
    effects.hasFile = { BucketSpec.isBucket($0) || fileIdentity($0) != nil }
    effects.timePasses = !invocation.clock.isFrozen
    return effects
  }
}

/// Runs the programs of hooks, and posts to webhooks.
struct HookRunner: Sendable {
  private let invocation: Invocation
  private let secrets: SecretReader
  /// The variables of hooks: without secrets of the configuration, with the user's session bus and the path of the configuration,
  /// so that a hook that runs bgfetch uses the same one.
  private let variables: [String: String]
  private let uploads: CurlLoop
  private let network: NetworkSettings

  init(
    _ invocation: Invocation, _ settings: Settings, _ open: [String: String], _ uploads: CurlLoop
  ) {
    (self.invocation, self.uploads) = (invocation, uploads)
    secrets = SecretReader(environment: invocation.environment)
    variables = open.merging(SessionBus.find(environment: invocation.environment)?.additions ?? [:]) { $1 }
    network = settings.network
  }

  /// The command that shows a popup, which outlives the run, while the run's unit of systemd ends with all its processes.
  private var popup: [String] {
    let isInUnit = !invocation.environment["INVOCATION_ID", default: ""].isEmpty
    let unit = ["systemd-run", "--user", "--scope", "--quiet", "--collect", "--"]
    return (isInUnit ? unit : []) + invocation.ownCommand("popup")
  }

  /// Delivers the event of a call; ends after its time limit.
  func run(_ call: HookCall) async -> HookEnd {
    switch call.receiver {
    case .program(let words): await run(words, call)
    case .popup: await run(popup, call, mayOutlive: true)
    case .webhook(let webhook): await post(call, to: webhook)
    }
  }

  /// Runs a program until it ends or its time limit passes.
  private func run(_ words: [String], _ call: HookCall, mayOutlive: Bool = false) async -> HookEnd {
    guard let program = words.first else { return .failed("there is no program") }
    var variables = variables
    for variable in call.environment { variables[variable.name] = variable.value }
    var values: [String] = []
    for variable in call.secrets {
      do throws(SecretFailure) {
        let value = try await secrets.read(variable.secret)
        variables[variable.name] = value
        values.append(value)
      } catch {
        return .failed("no secret: environment \(variable.name): \(secretText(error))")
      }
    }
    var command = Command(
      program, Array(words.dropFirst()), environment: variables, directory: invocation.home,
      input: Array((call.input ?? "").utf8), limit: .seconds(call.timeout.seconds))
    command.mayOutlive = mayOutlive
    let result = await command.run()
    // A hook's output is stored and shown, so it must not repeat secrets.
    let masks = HiddenWords(values.filter { $0.utf8.count >= 4 })
    return switch result.ending {
    case .exited(let status):
      .exited(
        status, printed: masks.masked(result.firstLine),
        errors: masks.masked(String(decoding: result.errorTail, as: UTF8.self)))
    case .signalled(let signal): .failed("ended by signal \(signal)")
    case .timedOut: .failed("took longer than \(call.timeout.text)")
    case .cancelled: .suspended
    case .couldNotStart(let failure): .failed(startText(failure))
    }
  }
}

extension Invocation {
  /// The environment of hooks and commands, without the variables that hold secrets of the configuration.
  func openEnvironment(_ settings: Settings) -> [String: String] {
    let hidden = settings.secretVariables
    return environment.filter { !hidden.contains($0.key) }
      .merging(["BGFETCH_CONFIG": settings.path]) { $1 }
  }
}

extension Settings {
  /// The environment variables that hold secrets of the configuration.
  fileprivate var secretVariables: Set<String> {
    var secrets = [server?.password, bucket?.secretKey].compactMap(\.self)
    var texts = [bucket?.accessKey].compactMap(\.self)
    for hook in hooks {
      texts += hook.environment.map(\.value)
      guard let webhook = hook.webhook else { continue }
      texts += [webhook.url] + webhook.headers.map(\.value)
      secrets += [webhook.secret].compactMap(\.self) + (webhook.body?.pieces ?? []).compactMap(\.secret)
    }
    for case .secret(let secret) in texts { secrets.append(secret) }
    return Set(feeds.ofFiles.flatMap { $0.secretVariables } + secrets.compactMap(\.variable))
  }
}

extension OpenedState {
  /// Writes a number and a newline to the badge file, which is replaced whole under a lock of its own.
  ///
  /// The number is read under the lock, so that an older one never replaces a newer one.
  fileprivate func updateBadge(to badge: () async throws -> Int) async throws -> BadgeChange {
    let held = try await FileLock.acquireUnlessCancelled(settings.state + "/badge.lock", clock: clock)
    defer { held?.release() }
    let number = try await badge()
    guard held != nil, let path = settings.badge else { return BadgeChange(badge: number, hasChanged: false) }
    let text = Array("\(number)\n".utf8)
    return try naming("the badge") { () throws(FileFailure) in
      try makePrivateDirectory(around: path)
      let hasChanged = try AtomicFile.replace(path, with: text, permissions: 0o644, isLocked: true)
      return BadgeChange(badge: number, hasChanged: hasChanged)
    }
  }
}

extension FileLock {
  /// Takes a lock; nil if the task was cancelled while another process had it, which then does the same work, or if that
  /// process seems to be stopped.
  static func acquireUnlessCancelled(_ path: String, clock: WallClock) async throws -> FileLock? {
    do {
      return try await acquire(path, clock: clock, patience: .seconds(30))
    } catch is CancellationError {
      return nil
    }
  }
}

extension HookRunner {
  /// Posts the body of the webhook or the input of a call; any 2xx means that it was delivered.
  ///
  /// The person wrote the address, so it may be a private one. Redirects are not followed: they could lead anywhere.
  private func post(_ call: HookCall, to webhook: WebhookSpec) async -> HookEnd {
    var hidden = HiddenWords.none
    do throws(FetchFailure) {
      let written = try await secrets.text(webhook.url, for: "webhook.url")
      let id = percentEncoded(call.eventID) { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9") ~= $0 }
      let access = try await secrets.access(
        to: WebAddress(written.replacing("{event-id}", with: id)), isSecret: webhook.url.isSecret,
        webhook.headers, webhook.body ?? RequestBody([.text(call.input ?? "")], mediaType: RequestBody.json),
        section: "webhook.")
      // The parts of a secret address, too.
      hidden = access.hidden
      let body = Array((access.body?.text ?? "").utf8)
      var request = request(call, access)
      if let key = webhook.secret {
        let key = try await secrets.text(.secret(key), for: "webhook.secret")
        guard let signature = signature(of: body, key: key) else {
          throw .other("libcrypto cannot sign the event; install libssl3")
        }
        // The same signature as from GitHub and WebSub hubs.
        request.fields.append(HeaderField("X-Hub-Signature-256", "sha256=" + signature))
      }
      request.body = body
      if webhook.method == .put { request.method = .put }
      return end(try await uploads.fetch(request), hidden)
    } catch {
      switch error {
      case .suspended: return .suspended
      case .timeout: return .failed("took longer than \(call.timeout.text)")
      default: return .failed(hidden.masked(error.text))
      }
    }
  }

  /// A request for a call, without its body.
  private func request(_ call: HookCall, _ access: FeedAccess) -> Request {
    let fields = [
      HeaderField("User-Agent", network.userAgent ?? Bgfetch.userAgent),
      HeaderField("Content-Type", access.body?.mediaType ?? RequestBody.json),
      // The same key at each attempt, so that the receiver can drop duplicates.
      HeaderField("Idempotency-Key", "\"" + call.eventID.filter { $0.isASCII && $0 != "\"" } + "\""),
    ].filter { field in !access.headers.contains { $0.isNamed(field.name) } }
    var request = Request(address: access.address, fields: fields + access.headers, network: network)
    request.network.timeout = call.timeout
    request.network.maxFeedSize = ByteCount(64 << 10)
    request.wantsBody = false
    request.wantsErrors = true
    return request
  }

  private func end(_ response: Response, _ hidden: HiddenWords) -> HookEnd {
    switch response.status {
    case 200..<300: return .delivered(printed: "")
    case 300..<400:
      let target = response["Location"].map { " to " + addressText($0) } ?? ""
      return .failed(
        hidden.masked("the server redirected\(target); redirects are not followed, so write the new address"))
    default:
      let said = ItemRecord.summary(of: String(decoding: response.body, as: UTF8.self))
      let words = (said.isEmpty ? "" : ": ") + graphemePrefix(of: hidden.masked(said), limit: 200)
      return .failed(
        "the server answered \(response.status)" + words,
        retryAfter: retryAfter(of: response, receivedAt: invocation.clock.now()))
    }
  }
}
