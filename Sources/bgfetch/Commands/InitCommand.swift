// `bgfetch init`.

import ArgumentParser
import Config
import Core
import Host

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a first configuration, with a feed and a hook that work")

  @OptionGroup var common: CommonOptions

  func run() async {
    await Invocation.perform(common) { invocation in
      let path = invocation.firstConfigurationFile
      let notifier = invocation.notifier
      let state = invocation.standardState
      let text = firstConfiguration(
        notifier: notifier, replacesPopups: await invocation.replacesPopups(notifier),
        log: state + "/news.txt")
      do throws(FileFailure) {
        try makePrivateDirectory(around: path)
        try NewFile.create(path, with: Array(text.utf8), permissions: 0o600)
        // Where the hook writes, so that it can be tried before the first run.
        if notifier == nil { try makePrivateDirectory(state) }
      } catch {
        guard error.problem == .exists else {
          throw ProgramFailure.file(error, purpose: "the first configuration")
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
    guard let path = try? findProgram(name, path: environment["PATH"], directory: home) else { return nil }
    return (try? findProgram(name, path: nil, directory: home)) == nil ? path : name
  }

  /// Whether a notify-send(1) says that it can replace its popups; that of Ubuntu 22.04 cannot, and fails if it is asked to.
  fileprivate func replacesPopups(_ notifier: String?) async -> Bool {
    guard let notifier else { return false }
    let help = await Supervisor().run(
      Command(
        notifier, ["--help"], environment: environment, directory: home, limit: .seconds(5),
        outputLimit: 1 << 16))
    return String(decoding: help.output, as: UTF8.self).contains("--replace-id")
  }
}
