// A child's process group: ending it, and seeing whether anything of it is left.

import Core
import Glibc

/// The processes that a command and its own children run in, unless they leave it for a session of their own.
///
/// Its number is that of the leader and stays ours as long as the leader has not been reaped, so that no
/// signal can reach a stranger.
struct ProcessGroup: Hashable, Sendable {
  let leader: pid_t

  /// Asks every process to end; one that is stopped is made to go on, since it could not hear otherwise.
  func terminate() {
    // ESRCH: nobody is left, which is what was wanted.
    killpg(leader, SIGTERM)
    killpg(leader, SIGCONT)
  }

  /// Ends every process.
  func kill() {
    killpg(leader, SIGKILL)
  }

  /// Whether a process of the group is alive; a zombie is not.
  ///
  /// Asked only after a time limit, so that reading through /proc costs nothing in a usual run. kill(2) with
  /// signal 0 cannot tell, since the unreaped leader counts for it.
  func hasLivingMembers() -> Bool {
    // Without /proc they may be alive, and the caller falls back on SIGKILL.
    guard let directory = opendir("/proc") else { return true }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      guard name.first.map({ (0x31...0x39).contains($0) }) == true else { continue }
      // A process may end between being listed and being read.
      let path = "/proc/" + String(decoding: name, as: UTF8.self) + "/stat"
      guard let text = try? readFile(path, limit: ByteCount(4096)), let status = ProcessStatus(text)
      else { continue }
      if status.group == leader, !status.isDead { return true }
    }
    return false
  }
}

/// The fields of /proc/PID/stat (proc(5)) that matter here.
struct ProcessStatus: Hashable, Sendable {
  let isDead: Bool
  let group: pid_t

  init?(_ text: [UInt8]) {
    // The second field is the program's name in parentheses, and the name may hold anything.
    guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 2, let group = pid_t(String(decoding: fields[2], as: UTF8.self)) else { return nil }
    isDead = [UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(fields[0].first)
    self.group = group
  }
}
