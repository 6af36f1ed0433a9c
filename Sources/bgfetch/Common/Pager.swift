// Long output through a pager, as git shows it.

import Machine

extension Invocation {
  /// Shows what is printed from now on by the program in `PAGER`, or less(1), if the output is a terminal.
  ///
  /// By `LESS=FRX`, unless the environment says otherwise, what fits on one screen needs no key to leave it.
  func startPager() {
    guard console.output.isTerminal, !console.isJSON, StandardStream.output.isForeground, let pager else {
      return
    }
    // Without it the output is as it was.
    try? OutputPager.start(pager)
  }

  /// The command of the pager; nil if there is none, or it is cat(1).
  private var pager: Command? {
    var environment = environment
    for (name, value) in ["LESS": "FRX", "LV": "-c"] where environment[name] == nil {
      environment[name] = value
    }
    let named = environment["PAGER"]
    guard !["", "cat"].contains(named), !["", "dumb"].contains(environment["TERM", default: ""]) else {
      return nil
    }
    let isThere = (try? findProgram("less", path: environment["PATH"], directory: "/")) != nil
    guard named != nil || isThere else { return nil }
    return Command(
      "/bin/sh", ["-c", named ?? "less"], environment: environment, directory: Machine.workingDirectory,
      limit: nil)
  }
}
