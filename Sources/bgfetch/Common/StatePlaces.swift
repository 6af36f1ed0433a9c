// State that is not where a command looks for it: the state of system services, or a second state of the same user.

import Core
import Glibc
import Machine
import Store
import Synchronization

extension Settings {
  /// Whether the state belongs to the system's services.
  var hasStateOfServices: Bool {
    SystemPlaces.contains(configuration: path) && state == SystemPlaces.state
  }
}

/// Whether this process has warned of another state; some commands open the store twice.
private let hasWarned = Mutex(false)

extension Invocation {
  /// Whether root uses the state of the system services.
  func isServiceStateReadByRoot(_ settings: Settings) -> Bool {
    geteuid() == 0 && settings.hasStateOfServices
  }

  /// The error for a state directory that cannot be used; for the system services it says how to run the command.
  func stateFailure(_ failure: FileFailure, _ settings: Settings) -> ProgramFailure {
    guard SystemPlaces.contains(configuration: settings.path) else {
      return .file(failure, purpose: "the state directory")
    }
    let closed = ProgramFailure.other(
      ["\(settings.state): only root and the services may use it; run this as root, for example with sudo"],
      .storage)
    switch failure.problem {
    case .denied: return closed
    case .unsafe(let finding):
      guard case .ownedByOther(let user) = finding.problem else { break }
      guard geteuid() == 0 else { return closed }
      // sudo(8) does not know the users that systemd makes for DynamicUser= (systemd.exec(5)).
      let isDynamic = (61_184...65_519).contains(user)
      let start =
        isDynamic
        ? "systemd-run -qGP -p DynamicUser=yes -p User=bgfetch -p StateDirectory=bgfetch -E HOME=/var/lib/bgfetch"
        : "sudo -u '#\(user)'"
      let use = "to fetch now: systemctl start bgfetch.service; for anything else: \(start) bgfetch …"
      return .other(
        [
          "\(settings.state): belongs to the user of the services (\(user)), and files that root creates would stop them; \(use)"
        ], .storage)
    default: break
    }
    return .file(failure, purpose: "the state directory")
  }

  /// Warns that a configuration whose state is empty or missing has one elsewhere: a command would show nothing, and a run
  /// would set a new baseline.
  func warnOfOtherState(_ settings: Settings) async {
    let places = [
      directories.state + "/bgfetch", StandardDirectories(environment: [:], home: home).state + "/bgfetch",
      SystemPlaces.state,
    ]
    for directory in places where directory != settings.state && Store.exists(in: directory) {
      guard (try? Store.requireSafety(of: directory, isOnlyRead: directory == SystemPlaces.state)) != nil,
        let store = try? await Store.opened(directory, for: .reading),
        (try? await store.verify(configuration: settings.path)) != nil,
        (try? await store.isEmpty()) == false
      else { continue }
      let isFirst = hasWarned.withLock { hasWarned in
        defer { hasWarned = true }
        return !hasWarned
      }
      guard isFirst else { return }
      return console.say(
        "warning: there is no state in \(settings.state), but \(directory) has one of this configuration; to use that, write state: \(directory)",
        .warning)
    }
  }
}
