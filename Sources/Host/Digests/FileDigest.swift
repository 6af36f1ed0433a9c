// The SHA-256 of a file that is there.

import Core
import Glibc

/// The SHA-256 of all of an open file, read from its beginning; 64 hexadecimal digits in lower case.
func sha256(of file: Descriptor, path: String) throws(DocumentsProblem) -> String {
  var digest = try SHA256(of: path)
  var buffer = [UInt8](repeating: 0, count: 256 << 10)
  var offset: Int64 = 0
  while true {
    let count = try onDocument(path) { () throws(SystemError) in
      try file.read(into: &buffer, buffer.count, at: offset)
    }
    if count == 0 { return try digest.text() }
    try digest.add(buffer, count)
    offset += Int64(count)
  }
}
