// `bgfetch init`.

import ArgumentParser
import Config
import Host
import Model

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a first configuration, with a feed and a hook that work")

  @OptionGroup var common: CommonOptions

  func run() async {
    await Invocation.perform(common) { invocation in
      let path = invocation.firstConfigurationFile
      let notifier = invocation.notifier
      let state = invocation.standardState
      let text = firstConfiguration(notifier: notifier, log: state + "/news.txt")
      do throws(FileFailure) {
        try makePrivateDirectory(around: path)
        try NewFile.create(path, with: Array(text.utf8), permissions: 0o600)
        // Where the hook writes, so that it can be tried before the first run.
        if notifier == nil { try makePrivateDirectory(state) }
      } catch {
        guard error.problem == .exists else {
          throw ProgramFailure.file(error, purpose: configurationPurpose)
        }
        throw ProgramFailure.usage("\(path): is there already, and stays; bgfetch check reads it")
      }
      let hook = notifier == nil ? "file" : "desktop"
      if invocation.console.isJSON {
        invocation.console.print(
          .object([("type", .string("init")), ("file", .string(path)), ("hook", .string(hook))]))
      } else {
        let named = invocation.namedConfiguration ?? invocation.environment["BGFETCH_CONFIG"] ?? ""
        let lines = nextSteps(
          wrote: path, hook: hook, program: Machine.programPath ?? "bgfetch", isStandard: named.isEmpty)
        for line in lines { invocation.console.print(line) }
      }
      return .success
    }
  }
}

extension Invocation {
  /// Where this program looks for a configuration first; absolute.
  fileprivate var firstConfigurationFile: String {
    let candidates = StandardDirectories(environment: environment, home: home).configurationFiles
    return absolutePath(namedConfiguration ?? candidates[0])
  }

  /// The state directory where the configuration names none.
  fileprivate var standardState: String {
    let standard = StandardDirectories(environment: environment, home: home)
    return stateOverride ?? standard.serviceState ?? standard.state + "/bgfetch"
  }

  /// notify-send(1): by name where cron finds it too, else by path; nil where it is not installed.
  fileprivate var notifier: String? {
    let name = "notify-send"
    if (try? findProgram(name, path: nil, directory: home)) != nil { return name }
    return try? findProgram(name, path: environment["PATH"], directory: home)
  }
}
