// The password database's entry of a user.

import Glibc

/// What the system knows of a user.
struct Account: Sendable {
  let name: String
  let group: UInt32
  let home: String

  /// The entry of a user; nil if there is none, as in many containers.
  init?(user: UInt32) {
    var buffer = [CChar](repeating: 0, count: 16_384)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // The strings lie in the buffer, so they are copied before it goes.
    typealias Fields = (name: String, group: UInt32, home: String)
    let copied: Fields? = buffer.withUnsafeMutableBufferPointer { space in
      guard let start = space.baseAddress,
        getpwuid_r(user, &entry, start, space.count, &found) == 0, found != nil,
        let name = entry.pw_name, let home = entry.pw_dir
      else { return nil }
      return (String(cString: name), entry.pw_gid, String(cString: home))
    }
    guard let copied else { return nil }
    (name, group, home) = copied
  }
}
