// The files of a document that the rules of retention leave out.

import Testing

@testable import Core

@Suite struct KeptAssetsTests: AssetFixtures {
  @Test(
    arguments: [
      (2, nil, nil, ["4.mp3", "3.mp3"]), (0, nil, nil, ["4.mp3"]),
      (nil, 98, nil, ["4.mp3", "3.mp3", "2.mp3"]), (nil, 1, nil, ["4.mp3"]),
      (nil, nil, 250, ["4.mp3", "3.mp3"]), (nil, nil, 1, ["4.mp3"]),
    ] as [(Int?, Int64?, Int64?, [String])])
  func `assets that keep would remove at once are not downloaded, except the newest`(
    count: Int?, days: Int64?, size: Int64?, urls: [String]
  ) {
    var shown = items(4)
    for place in shown.indices { shown[place].enclosures[0].length = 100 }
    let feed = with(keeping { $0 = KeepRule(count: count, days: days, size: size) }) {
      $0.firstRunDownload = .all
    }

    #expect(wanted(findings(shown, feed)) == urls)
  }

  private func disk(_ days: [Int], size: Int64? = 100) -> [CountedFile] {
    days.enumerated().map { place, day in
      with(
        CountedFile(
          transfer: Int64(place + 1), published: now - .days(100) + .days(Int64(day)),
          arrived: now - .hours(1), size: size)
      ) { $0.item = Int64(place + 1) }
    }
  }

  private func keeping(_ change: (inout KeepRule) -> Void) -> FeedSpec {
    downloading { $0.download?.keep = with(KeepRule(), change) }
  }

  @Test func `keep counts files, not the items of the document`() {
    let three = keeping { $0.count = 3 }
    let five = items(5)

    // Nothing is on the disk, although three newer items are in the document.
    #expect(wanted(findings(five + [episode("old", day: 0)], after: five, three)) == ["old.mp3"])
    let found = findings(five + [episode("old", day: 0)], after: five, three, files: disk([3, 4, 5]))
    #expect(found.wanted.isEmpty)
    #expect(omissions(found) == ["old download.keep"])
    #expect(
      wanted(findings(five + [episode("old", day: 4)], after: five, three, files: disk([3, 4, 5]))) == [
        "old.mp3"
      ])
  }

  @Test func `of the files of one item the first ones are downloaded`() {
    var item = episode("1", day: 9)
    item.enclosures += ["ogg", "opus"].map { Enclosure(url: "https://cdn.example/1.\($0)") }

    let found = findings([item], after: items(1), keeping { $0.count = 2 }, files: disk([1, 2]))

    #expect(wanted(found) == ["1.mp3", "1.ogg"])
    #expect(omissions(found) == ["1 download.keep"])
  }

  @Test(arguments: [true, false])
  func `an undated podcast gets its new episode wherever it is listed`(isFirst: Bool) {
    let known = (1...5).map { episode("ep\($0)") }
    let listed = isFirst ? [episode("new")] + known : known + [episode("new")]
    let files = disk([1, 1, 1]).map { CountedFile(transfer: $0.transfer, date: now - .hours(1), size: 100) }

    #expect(wanted(findings(listed, after: known, keeping { $0.count = 3 }, files: files)) == ["new.mp3"])
  }

  @Test(arguments: [0, -62_135_596_800, 4_070_908_800, 253_402_300_799] as [Int64])
  func `an episode with an impossible date is new, and does not keep later ones out`(date: Int64) {
    let strange = with(episode("strange")) { $0.published = Instant(secondsSince1970: date) }
    let two = keeping {
      $0.count = 2; $0.age = .days(30)
    }

    #expect(
      wanted(findings(items(3) + [strange], after: items(3), two, files: disk([90, 91]))) == ["strange.mp3"])
    let placed = CountedFile(transfer: 9, published: strange.published, arrived: now - .days(2), size: 100)
    let found = findings(
      [strange, episode("next", day: 99)], after: [strange], two, files: [placed] + disk([90]))
    #expect(wanted(found) == ["next.mp3"])
  }

  @Test(
    arguments: [
      (nil, 100, 2), (0, 100, 2), (-5, 100, 2), (.max, 100, 2), (1 << 40, 100, 2), (900, 100, 2),
      (900, nil, 1), (.max, nil, 2), (0, nil, 2),
    ] as [(Int64?, Int64?, Int)])
  func `the sizes on the disk count, and those in the document only where there are none`(
    claimed: Int64?, real: Int64?, count: Int
  ) {
    let new = [episode("a", day: 98, length: claimed), episode("b", day: 99, length: claimed)]
    let feed = keeping { $0.size = ByteCount(1000) }

    let found = findings(
      items(2) + new, after: items(2), feed, files: real == nil ? [] : disk([1, 2], size: real))

    #expect(found.wanted.count == count)
    #expect(found.wanted.count + omissions(found).count == 2)
  }

  @Test func `files that are queued count like those on the disk`() {
    var queued = disk([80, 81], size: nil)
    for place in queued.indices { queued[place].claimedSize = 600 }
    let feed = keeping { $0.size = ByteCount(1000) }

    #expect(
      omissions(findings([episode("old", day: 5)], after: items(1), feed, files: queued)) == [
        "old download.keep"
      ])
  }

  @Test func `queueing agrees with retention`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let new = (0..<Int.random(in: 1...6, using: &random)).map { number in
        episode("n\(number)", day: Bool.random() ? Int.random(in: 0...120, using: &random) : nil, length: 100)
      }
      let files = disk(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 0...99, using: &random) })
      let keep = KeepRule(count: 3, days: 50, size: 250)
      let found = findings(items(1) + new, after: items(1), keeping { $0 = keep }, files: files)

      let placed = found.wanted.enumerated().map { place, asset in
        guard case .new(let number) = asset.item else { return disk([1])[0] }
        let published = new.first { $0.title == asset.description }?.published
        var file = CountedFile(transfer: 100 + Int64(place), published: published, arrived: now, size: 100)
        file.item = 100 + Int64(number)
        return file
      }
      let all = (files + placed).map {
        PlacedTransfer($0, file: PlacedFile(directory: "/", name: "", size: 100, sha256: "", placed: now))
      }
      #expect(filesToRemove(all, keep: keep, at: now).map(\.transfer).filter { $0 >= 100 } == [])
      #expect(found.wanted.count + omissions(found).count == new.count)
    }
  }
}
