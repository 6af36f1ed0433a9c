// Many downloads in one run by a program that may have few files open.

import TestKit
import Testing

@Suite struct DownloadOpenFilesTests {
  @Test func `a run closes the file of each download that has ended`() async throws {
    let contents = (0..<200).map { FileContent(2_000, seed: UInt64($0 + 1)) }
    let program = try DownloadProgram([:])
    for (number, content) in contents.enumerated() {
      program.server.serve(AssetFile(content), at: "/\(number).mp3")
    }
    program.serve(
      contents.indices.map { Episode(id: "\($0)", url: program.server.url("/\($0).mp3"), day: 1) })

    // Fewer than there are downloads, more than those that are under way at once need.
    let run = try await program.bgfetch.shell(
      "ulimit -n 150; BGFETCH_NOW=\(DownloadProgram.moment(0)) exec \"$BGFETCH\" run")

    #expect(run.status == 0, "\(run.errors)")
    try program.expectSettled(contents)
  }
}
