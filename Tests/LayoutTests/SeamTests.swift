// Several machines are the subject of the module Fleet: who reads how one machine fetches meets their words only at the seam.

import Testing

@Suite struct SeamTests {
  /// The doors of the store that Fleet fills, outside of it and of the folder with its commands.
  private static let seam: Set = ["Store/Database/Connection.swift", "Store/Runs/Neighbours.swift"]

  @Test func `only the seam has words about several machines`() throws {
    let files = try Repository.files(below: "Sources", endingIn: ".swift")
    let words = /[Ff]leet|\b[Ll]eases?\b|[a-z]Lease|[Pp]artition|\b[Ee]ngine|[a-z]Engine|[Ss]erverTime/
    let found = try files.filter { path in
      try !path.hasPrefix("Sources/Fleet/") && !path.hasPrefix("Sources/bgfetch/Fleet/")
        && Repository.text(path).contains(words)
    }

    #expect(Set(found.map { String($0.dropFirst("Sources/".count)) }) == Self.seam)
  }
}
