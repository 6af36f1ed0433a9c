import Glibc
import Testing

@testable import Host

/// What killed processes leave beside files that are replaced whole.
@Suite struct TemporaryNameTests {
  let directory = TestDirectory()

  /// Makes a file look as if it was written so many seconds ago.
  private func age(_ name: String, by seconds: Int) {
    var times = [timespec(), timespec()]
    clock_gettime(CLOCK_REALTIME, &times[0])
    times[0].tv_sec -= seconds
    times[1] = times[0]
    utimensat(AT_FDCWD, directory(name), times, AT_SYMLINK_NOFOLLOW)
  }

  @Test func `what a killed process left goes with the next replacement an hour later`() throws {
    directory.file(".bgfetch-1f", "half")
    age(".bgfetch-1f", by: 3700)

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names == ["badge"])
  }

  @Test func `what another process may be writing now stays`() throws {
    directory.file(".bgfetch-1f", "half")
    age(".bgfetch-1f", by: 3000)

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names == [".bgfetch-1f", "badge"])
  }

  @Test(arguments: [".bgfetch-", ".bgfetch-notes", ".bgfetch-1F", ".bgfetch-00000000000000000", "bgfetch-1f"])
  func `a file of another name stays however old it is`(name: String) throws {
    directory.file(name, "mine")
    age(name, by: 1_000_000)

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names.contains(name))
  }

  @Test func `a link or directory of such a name stays`() throws {
    mkdir(directory(".bgfetch-1"), 0o700)
    symlink("badge", directory(".bgfetch-2"))
    for name in [".bgfetch-1", ".bgfetch-2"] { age(name, by: 1_000_000) }

    try AtomicFile.replace(directory("badge"), with: [1], permissions: 0o600)

    #expect(directory.names == [".bgfetch-1", ".bgfetch-2", "badge"])
  }

  @Test func `a name made is one that is found again`() {
    for _ in 0..<100 { #expect(TemporaryName.isOne(TemporaryName.random())) }
  }
}
