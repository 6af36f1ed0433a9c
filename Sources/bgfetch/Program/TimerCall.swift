// The command line of a timer, understood without the parser.

import Core
import Sync

/// `bgfetch run` as cron and service managers have it, with options that a run with nothing to do need not look at.
///
/// The parser asks Swift's runtime what each option is, and that costs such a run more than all that it does. What is not
/// understood here, because it is wrong or because it is rare, is left to the parser.
struct TimerCall {
  /// The options every command has.
  private(set) var options = CommonOptions()
  /// What woke the run, where the command line says it.
  private(set) var cause: RunCause?

  /// The call that a command line is, without the program's name; nil if it is another one.
  init?(_ arguments: ArraySlice<String>) {
    guard arguments.first == "run" else { return nil }
    // Options that were not parsed have no values before they are given some.
    (options.config, options.state, options.color) = (nil, nil, .auto)
    (options.json, options.quiet, options.verbose) = (false, false, false)
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "-q", "--quiet": options.quiet = true
      case "--no-transfers": break
      case "--config", "--state", "--cause":
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
        switch word {
        case "--config": options.config = value
        case "--state": options.state = value
        default:
          guard let named = RunCause(rawValue: value) else { return nil }
          cause = named
        }
      default: return nil
      }
    }
  }
}

extension Invocation {
  /// Whether the process was called by a timer, has nothing to do and nothing to say.
  static func isQuiet(_ arguments: [String]) -> Bool {
    guard let call = TimerCall(arguments.dropFirst()), let invocation = try? Invocation(call.options),
      invocation.mayRun, call.cause != nil || (try? invocation.cause()) != nil
    else { return false }
    return invocation.isQuiet(RunOrder(feeds: [], options: RunOptions(), waits: false))
  }
}
