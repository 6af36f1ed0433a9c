// The first configuration, which `bgfetch add` writes if there is none, and the next steps.

import Config
import Core
import Machine

/// A first configuration that was just written.
struct FirstConfigurationFile {
  let path: String
  /// The name of its hook.
  let hook: String
  /// Whether bgfetch finds it without `--config`.
  var isStandard = true

  /// The commands to try now.
  var nextSteps: [String] {
    let named = isStandard ? "" : " --config \(shellWord(path))"
    guard SystemPlaces.contains(configuration: path) else {
      return ["This is your first configuration. Next:"]
        + table([
          ["  bgfetch run\(named)", "fetches what is due; items already there are seen"],
          ["  bgfetch hooks test \(hook)\(named)", "shows what a notification looks like"],
          ["  bgfetch install-timer\(named)", "fetches every five minutes, by systemd or cron"],
        ])
    }
    let ofTimer = path == SystemPlaces.configuration ? "" : named
    return ["This is the first configuration of the system. Next:"]
      + table([
        ["  bgfetch install-timer --system\(ofTimer)", "lets systemd fetch what is due every five minutes"],
        ["  journalctl -u bgfetch", "shows its messages"],
      ])
  }
}

extension Invocation {
  /// Writes the first configuration, with these feeds and a hook: mail to an address, or popups or a file; fails if there is one
  /// already.
  func writeFirstConfiguration(
    with feeds: [NamedSubscription], mail: MailHook? = nil, documents: String? = nil
  ) throws -> FirstConfigurationFile {
    let path = absolutePath(namedConfiguration ?? directories.configurationFiles[0])
    let isOfSystem = SystemPlaces.contains(configuration: path)
    let writesFile = mail == nil && (isOfSystem || !Popup.canBeShown)
    // The state directory of a configuration that names none.
    let state =
      directories.serviceState ?? (isOfSystem ? SystemPlaces.state : directories.state + "/bgfetch")
    let hook: FirstHook =
      mail.map(FirstHook.mail) ?? (writesFile ? .file(state + "/news.txt") : .popup)
    let text = firstConfiguration(with: feeds, hook, documents: documents)
    do throws(FileFailure) {
      // The services do not run as root, and must be able to read it.
      try isOfSystem ? makePublicDirectory(around: path) : makePrivateDirectory(around: path)
      try NewFile.create(path, with: Array(text.utf8), permissions: isOfSystem ? 0o644 : 0o600)
      // The hook writes there, and can be tested before the first run. The services make a directory of their own.
      if writesFile, !isOfSystem { try makePrivateDirectory(state) }
    } catch {
      guard error.problem == .exists else {
        throw ProgramFailure.file(error, purpose: "the first configuration")
      }
      throw ProgramFailure.usage("\(path): already exists and was not changed; bgfetch check checks it")
    }
    let named = namedConfiguration ?? environment["BGFETCH_CONFIG"] ?? ""
    return FirstConfigurationFile(
      path: path, hook: hook.name, isStandard: named.isEmpty)
  }
}
