// Words in dates: months, halves of the day, zones.

/// What a word in a date says.
enum DateWord: Equatable {
  /// A month, 1 to 12.
  case month(Int)
  /// Before noon.
  case morning
  /// After noon.
  case afternoon
  /// A zone, in seconds east of UTC.
  case zone(Int)

  /// Reads a word, without regard to case; nil for weekdays and whatever else says nothing.
  init?(_ word: UnsafeBufferPointer<UInt8>) {
    guard word.count <= 24, let first = Self.months[Self.key(word)] ?? Self.others(word) else { return nil }
    self = first
  }

  private static func others(_ word: UnsafeBufferPointer<UInt8>) -> DateWord? {
    // Zones have two to five letters; a single one is military, and means UTC since nobody got the signs right (RFC
    // 5322 section 4.3). Longer words are months in full: the beginning decides.
    if word.count <= 5, let found = zones[key(word)] { return found }
    for length in [5, 4, 3] where word.count > length {
      if let month = months[key(UnsafeBufferPointer(rebasing: word[..<length]))] { return month }
    }
    return longWords[String(decoding: word, as: UTF8.self)]
  }

  /// Up to eight bytes in lower case; longer words have no key.
  private static func key(_ word: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard word.count <= 8 else { return 0 }
    var key: UInt64 = 0
    for byte in word { key = key << 8 | UInt64(byte < 0x80 ? byte | 0x20 : byte) }
    return key
  }

  private static func table(_ entries: [(words: String, meaning: DateWord)]) -> [UInt64: DateWord] {
    var table: [UInt64: DateWord] = [:]
    for (words, meaning) in entries {
      for word in words.split(separator: " ") {
        let bytes = Array(word.utf8)
        table[bytes.withUnsafeBufferPointer(key)] = meaning
      }
    }
    return table
  }

  /// English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Polish: how the names begin.
  private static let months = table([
    ("jan jän ene gen stycz sty", .month(1)), ("feb fév fev lut", .month(2)),
    ("mar mär mrz maa mars", .month(3)), ("apr avr abr kwi", .month(4)), ("may mai mag mei maj", .month(5)),
    ("jun juin giu cze", .month(6)), ("jul juil lug lip", .month(7)), ("aug aoû aou ago sie", .month(8)),
    ("sep set wrz", .month(9)), ("oct okt ott out paź", .month(10)), ("nov lis", .month(11)),
    ("dec dez déc dic gru", .month(12)),
  ])

  private static let longWords: [String: DateWord] = [
    "오전": .morning, "오후": .afternoon, "上午": .morning, "下午": .afternoon,
  ]

  private static let zones: [UInt64: DateWord] = {
    var zones = table([("am a.m.", .morning), ("pm p.m.", .afternoon)])
    for (names, minutes) in [
      ("z ut utc gmt wet", 0), ("bst cet met west", 60), ("cest mest eet cat", 120), ("eest msk", 180),
      ("msd", 240),
      ("ist", 330), ("ict", 420), ("hkt sgt awst", 480), ("jst kst", 540), ("acst", 570), ("aest", 600),
      ("acdt", 630), ("aedt", 660), ("nzst", 720), ("nzdt", 780), ("ndt", -150), ("adt art brt", -180),
      ("nst", -210), ("ast edt clt", -240), ("est cdt", -300), ("cst mdt", -360), ("mst pdt", -420),
      ("pst akdt", -480), ("akst", -540), ("hst", -600),
    ] {
      zones.merge(table([(names, .zone(minutes * 60))])) { first, _ in first }
    }
    return zones
  }()
}
