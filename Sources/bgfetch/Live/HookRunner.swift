// Runs a hook's command under the supervisor, with the environment it is to see.

import Core
import Host

/// Runs hooks' commands.
struct HookRunner: Sendable {
  /// What runs them.
  let supervisor: Supervisor
  /// What resolves the secrets in their environment.
  let secrets: SecretReader
  /// The environment of this process.
  let environment: [String: String]
  /// Variables that hold secrets of the configuration; hooks do not see them.
  let hidden: Set<String>
  /// What leads to the user's session bus, where the environment does not.
  let additions: [String: String]
  /// The working directory.
  let home: String

  /// Runs a command to its end, or to the end of its time.
  func run(_ call: HookCall) async -> HookEnd {
    guard let program = call.arguments.first else { return .couldNotStart("the hook has no program") }
    var variables = environment.filter { !hidden.contains($0.key) }.merging(additions) { $1 }
    for variable in call.environment { variables[variable.name] = variable.value }
    var values: [String] = []
    for variable in call.secrets {
      switch await secrets.read(variable.secret, environment: environment) {
      case .success(let value):
        variables[variable.name] = value
        values.append(value)
      case .failure(let failure):
        return .couldNotStart("no secret: environment \(variable.name): \(secretText(failure))")
      }
    }
    let result = await supervisor.run(
      Command(
        program, Array(call.arguments.dropFirst()), environment: variables, directory: home,
        input: Array((call.input ?? "").utf8), limit: .seconds(call.timeout.seconds)))
    // What a hook says is kept and shown.
    let masks = HiddenWords(values.filter { $0.utf8.count >= 4 })
    return switch result.ending {
    case .exited(let status):
      .exited(
        status, printed: masks.masked(result.firstLine),
        errors: masks.masked(String(decoding: result.errorTail, as: UTF8.self)))
    case .signalled(let signal): .signalled(signal)
    case .timedOut: .timedOut
    case .cancelled: .suspended
    case .couldNotStart(let failure): .couldNotStart(startText(failure))
    }
  }
}

extension Settings {
  /// The environment variables that the configuration takes secrets from.
  var secretVariables: Set<String> {
    var names: Set<String> = []
    func note(_ text: SecretText) {
      if case .secret(.environment(let name)) = text { names.insert(name) }
    }
    for feed in feeds {
      note(feed.url)
      for header in feed.headers { note(header.value) }
      switch feed.authentication {
      case .basic(_, let password): note(.secret(password))
      case .bearer(let token): note(.secret(token))
      case .netrc, nil: break
      }
    }
    for hook in hooks { for variable in hook.environment { note(variable.value) } }
    return names
  }
}
