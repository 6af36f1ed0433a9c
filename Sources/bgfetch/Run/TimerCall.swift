// The command line of a `bgfetch run` as timers write it, read without ArgumentParser.
//
// ArgumentParser finds the options of a command by reflection, which takes a third of a run with nothing due, and longer than all
// of a quiet one. It still reads every command line that has other options, or errors.

import Core
import Running

/// A call of `bgfetch run` as timers make it.
struct TimerCall: Sendable {
  private var configuration: String?
  private var amount = ReportAmount.usual
  private var cause: RunCause?
  private var runsTransfers = true

  /// The call; nil if the arguments, without the program's name, have other options.
  init?(_ arguments: ArraySlice<String>) {
    guard arguments.first == "run" else { return nil }
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "-q", "--quiet": amount = .quiet
      case "--no-transfers": runsTransfers = false
      case "--config", "--cause":
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
        if word == "--config" {
          configuration = value
        } else {
          guard let named = RunCause(rawValue: value) else { return nil }
          cause = named
        }
      default: return nil
      }
    }
  }

  /// Whether the run would do and print nothing.
  func isQuiet() -> Bool {
    guard let invocation = try? Invocation(configuration: configuration, amount), !invocation.isInHook,
      let options = try? options(for: invocation)
    else { return false }
    return invocation.isQuiet(options)
  }

  /// Runs, and ends the process.
  func run() async -> Never {
    await endProcess(configuration: configuration, amount) { invocation in
      let options = try options(for: invocation)
      return try await invocation.reportingErrors { try await invocation.run(options) }
    }
  }

  private func options(for invocation: Invocation) throws -> RunOptions {
    var options = RunOptions(try cause ?? invocation.cause())
    options.runsTransfers = runsTransfers
    return options
  }
}
