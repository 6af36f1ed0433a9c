// A pipe between this process and a child.

import CLinux

/// The two ends of a pipe, closed on exec.
struct Pipe {
  let reading: Descriptor
  let writing: Descriptor

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try systemCall { bgfetch_pipe(&ends) }
    reading = Descriptor(owning: ends[0])
    writing = Descriptor(owning: ends[1])
  }
}
