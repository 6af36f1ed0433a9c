// File systems of a test's own, mounted where only one process sees them, reached through that process.

import Core
import Glibc
import Machine
import TestKit
import Testing

/// Small file systems in memory, in a mount namespace of a process's own, which others reach below `/proc/PID/root`.
struct MountedPlaces {
  /// The directory in which they are mounted, as this process sees them.
  let path: String
  private let holder: Task<CommandResult, Never>

  /// Whether this machine lets its users mount file systems of their own; many containers do not.
  static func areAllowed() async -> Bool {
    await sh("unshare -Urm mount -t tmpfs none /mnt").run().ending == .exited(0)
  }

  /// Runs a script that mounts below `$1`, an empty directory.
  init(_ directory: TestDirectory, _ script: String) async throws {
    holder = Task { [path = directory.path] in
      let whole = "cd \"$1\" && \(script) && echo $$ > new && mv new holder && exec sleep 3000"
      return await sh("exec unshare -Urm sh -ec '\(whole)' sh \"$1\"", [path], limit: nil).run()
    }
    #expect(await eventually { access(directory("holder"), F_OK) == 0 })
    let process = try text(readFile(directory("holder"), limit: ByteCount(100))).dropLast()
    path = "/proc/\(process)/root" + directory.path
  }

  /// Ends the process, and the file systems with it.
  func end() async {
    holder.cancel()
    _ = await holder.value
  }

  /// The path of a name.
  func callAsFunction(_ name: String) -> String { path + "/" + name }
}
