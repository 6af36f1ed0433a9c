// Dates in feeds: ISO 8601, and the parts shared with WrittenDate.swift, which reads everything else.

import Core

/// The moment of a date in a feed; nil if it cannot be understood.
///
/// Understands RFC 3339, ISO 8601 with week and ordinal dates, RFC 822 and its successors, and asctime(3), also with
/// two-digit years, names of zones, months in many languages, and missing parts; and a time since 1970 in seconds or finer
/// units. A missing zone is UTC.
func feedDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  let bytes = trimmed(bytes)
  guard (4...100).contains(bytes.count) else { return nil }
  if isUnixTime(bytes), let moment = unixTime(bytes) { return moment }
  return isoDate(bytes) ?? writtenDate(bytes)
}

/// Whether a text looks like a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
///
/// Other numbers of digits may be 20261121 or 20261121083000.
private func isUnixTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  let digits = text.prefix(while: \.isASCIIDigit).count
  let isNumber = text.allSatisfy { $0.isASCIIDigit || "+.eE".utf8.contains($0) }
  let hasExponent = text.contains { $0 | 0x20 == UInt8(ascii: "e") }
  return isNumber && ([9, 10, 13, 16, 19].contains(digits) || hasExponent)
}

/// The moment of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by its size.
func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
  guard var value = wholePart(of: text), value > 0 else { return nil }
  // As seconds this would be the year 5138, as milliseconds it is 1973.
  while value >= 100_000_000_000 { value /= 1000 }
  return Instant(secondsSince1970: value)
}

/// The whole part of a number.
///
/// Some languages write large ones with an exponent, as `1.7952e9`.
private func wholePart(of text: UnsafeBufferPointer<UInt8>) -> Int64? {
  if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
    guard text.count <= 40, let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
    return Int64(exactly: value.rounded(.towardZero))
  }
  return number(UnsafeBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: ".") }))
}

/// A date and time as written, with its offset from UTC.
struct DateFields {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Seconds east of UTC.
  var offset = 0
  /// The zone that the date names by a city, which decides instead of `offset`.
  var zone: Zone?

  /// The moment; nil if a field is out of its range.
  ///
  /// 24:00 is the end of the day. A leap second is the first second of the next minute.
  var instant: Instant? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilTime.daysInMonth(month, year: year)).contains(day), (0...24).contains(hour),
      (0...59).contains(minute),
      (0...60).contains(second), hour < 24 || minute == 0 && second == 0, abs(offset) < 86_400
    else { return nil }
    let days = CivilTime(year: year, month: month, day: day).daysSince1970
    let local = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    return zone?.firstMoment(of: CivilTime(secondsSince1970: local))
      ?? Instant(secondsSince1970: local - Int64(offset))
  }

  /// The year of a number with the given digits.
  ///
  /// Two digits mean 1950 to 2049 (RFC 5322 section 4.3).
  static func year(_ value: Int, digits: Int) -> Int {
    switch digits {
    case ...2: value + (value < 50 ? 2000 : 1900)
    case 3: value + 1900
    default: value
    }
  }
}

/// A cursor in the text of a date.
struct DateCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0

  /// The byte here; 0 at the end.
  var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  var isAtDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether the byte here belongs to a word of any script.
  var isAtLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80 }

  /// Skips a byte if it comes next, and returns whether it does.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard self.byte == byte, index < bytes.count else { return false }
    index += 1
    return true
  }

  /// Reads a number with at most the given digits.
  mutating func number(atMost digits: Int) -> (value: Int, digits: Int) {
    var value = 0
    let start = index
    while index - start < digits, isAtDigit {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      index += 1
    }
    return (value, index - start)
  }

  /// Reads `:mm`, `:mm:ss` or `:mm:ss.fff` after an hour; false if no minute follows.
  mutating func parseTime(hour: Int, into fields: inout DateFields) -> Bool {
    guard skip(UInt8(ascii: ":")) || skip(UInt8(ascii: ".")), isAtDigit else { return false }
    fields.hour = hour
    fields.minute = number(atMost: 2).value
    fields.second = 0
    if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") {
      index += 1
      fields.second = number(atMost: 2).value
    }
    parseFraction()
    return true
  }

  mutating func parseFraction() {
    guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") else { return }
    index += 1
    while isAtDigit { index += 1 }
  }

  /// Reads `+hh:mm`, `+hhmm`, `+hmm`, `+hh` or `+h` as seconds; nil if none of them comes next.
  mutating func parseOffset() -> Int? {
    let sign: Int
    switch byte {
    case UInt8(ascii: "+"): sign = 1
    case UInt8(ascii: "-"): sign = -1
    default: return nil
    }
    let start = index
    index += 1
    let (value, digits) = number(atMost: 4)
    switch digits {
    case 1, 2:
      var minutes = 0
      if byte == UInt8(ascii: ":") {
        index += 1
        minutes = number(atMost: 2).value
      }
      return sign * (value * 3600 + minutes * 60)
    case 3, 4:
      return sign * (value / 100 * 3600 + value % 100 * 60)
    default:
      index = start
      return nil
    }
  }
}

/// The moment of an ISO 8601 date, complete or in part, in the extended or basic form; nil for any other text.
func isoDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  var cursor = DateCursor(bytes: bytes)
  var fields = DateFields()
  let (year, digits) = cursor.number(atMost: 4)
  guard digits == 4 else { return nil }
  fields.year = year
  guard cursor.parseRestOfDate(&fields) else { return nil }
  if cursor.index < bytes.count {
    guard cursor.skip(UInt8(ascii: "T")) || cursor.skip(UInt8(ascii: "t")) || cursor.skip(UInt8(ascii: " "))
    else {
      return nil
    }
    guard cursor.parseISOTime(&fields) else { return nil }
  }
  return fields.instant
}

extension DateCursor {
  /// Reads the date after its year; false if it is not an ISO date.
  fileprivate mutating func parseRestOfDate(_ fields: inout DateFields) -> Bool {
    let isExtended = skip(UInt8(ascii: "-"))
    if skip(UInt8(ascii: "W")) {
      let week = number(atMost: 2)
      _ = skip(UInt8(ascii: "-"))
      let weekday = number(atMost: 1)
      guard week.digits == 2, (1...53).contains(week.value), weekday.value <= 7 else { return false }
      setDay(of: week.value, weekday: weekday.digits == 0 ? 1 : weekday.value, &fields)
      return true
    }
    let first = number(atMost: isExtended ? 3 : 4)
    switch (first.digits, isExtended) {
    case (0, false): return index == bytes.count
    case (3, _):
      guard (1...366).contains(first.value) else { return false }
      set(CivilTime(year: fields.year, month: 1, day: 1).daysSince1970 + Int64(first.value - 1), &fields)
      return true
    case (1...2, true):
      fields.month = first.value
      if skip(UInt8(ascii: "-")) {
        let day = number(atMost: 2)
        fields.day = day.value
        return day.digits > 0
      }
      return true
    case (2, false):
      // 200312 is a month. 031231 is left to `writtenDate`.
      fields.month = first.value
      return true
    case (4, false):
      fields.month = first.value / 100
      fields.day = first.value % 100
      return true
    default: return false
    }
  }

  /// Reads a time of day and its zone up to the end; false if anything else follows.
  fileprivate mutating func parseISOTime(_ fields: inout DateFields) -> Bool {
    while skip(UInt8(ascii: " ")) {}
    let hour = number(atMost: 2)
    guard hour.digits > 0 else { return false }
    fields.hour = hour.value
    if skip(UInt8(ascii: ":")) || isAtDigit {
      fields.minute = number(atMost: 2).value
      if skip(UInt8(ascii: ":")) || isAtDigit { fields.second = number(atMost: 2).value }
      parseFraction()
    }
    while skip(UInt8(ascii: " ")) {}
    if let offset = parseOffset() {
      fields.offset = offset
    } else if !skip(UInt8(ascii: "Z")) {
      _ = skip(UInt8(ascii: "z"))
    }
    return index == bytes.count
  }

  /// Sets the date.
  ///
  /// Week 1 contains 4 January, and weeks begin on Monday.
  private func setDay(of week: Int, weekday: Int, _ fields: inout DateFields) {
    let fourth = CivilTime(year: fields.year, month: 1, day: 4)
    let monday = fourth.daysSince1970 - Int64((fourth.weekday + 6) % 7)
    set(monday + Int64((week - 1) * 7 + weekday - 1), &fields)
  }

  private func set(_ days: Int64, _ fields: inout DateFields) {
    let date = CivilTime(secondsSince1970: days * 86_400)
    (fields.year, fields.month, fields.day) = (date.year, date.month, date.day)
  }
}

/// The zone of a name such as `America/Argentina/Buenos_Aires`, by its last part; nil if it is unknown.
func namedZone(_ name: UnsafeBufferPointer<UInt8>) -> Zone? {
  guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
  let city = String(decoding: name[(slash + 1)...], as: UTF8.self)
  if ["UTC", "UCT", "GMT", "Universal", "Zulu"].contains(city) { return .utc }
  return rules[city.lowercased()].flatMap { Zone(name: city, posix: $0) }
}

private let rules: [String: String] = {
  var rules: [String: String] = [:]
  for line in zones.split(separator: "\n") {
    let words = line.split(separator: " ")
    for city in words.dropFirst() { rules[city.lowercased()] = String(words[0]) }
  }
  return rules
}()

/// Rules (POSIX XBD 8.3) and the last parts of the names of their zones, from the footers of the files of tzdata 2026.
private let zones = """
  CET-1CEST,M3.5.0,M10.5.0/3 Amsterdam Andorra Belgrade Berlin Bratislava Brussels Budapest Busingen Ceuta \
  Copenhagen Gibraltar Jan_Mayen Ljubljana Luxembourg Madrid Malta Monaco Oslo Paris Podgorica Prague Rome \
  San_Marino Sarajevo Skopje Stockholm Tirane Vaduz Vatican Vienna Warsaw Zagreb Zurich
  <-03>3 Araguaina Asuncion Bahia Belem Buenos_Aires Catamarca Cayenne ComodRivadavia Cordoba Coyhaique \
  Fortaleza Jujuy La_Rioja Maceio Mendoza Montevideo Paramaribo Punta_Arenas Recife Rio_Gallegos Rosario Salta \
  San_Juan San_Luis Santarem Sao_Paulo Stanley Tucuman Ushuaia
  AST4 Anguilla Antigua Aruba Barbados Blanc-Sablon Curacao Dominica Grenada Guadeloupe Kralendijk \
  Lower_Princes Marigot Martinique Montserrat Port_of_Spain Puerto_Rico Santo_Domingo St_Barthelemy St_Kitts \
  St_Lucia St_Thomas St_Vincent Tortola Virgin
  EST5EDT,M3.2.0,M11.1.0 Detroit East-Indiana Eastern Fort_Wayne Grand_Turk Indianapolis Iqaluit Louisville \
  Marengo Michigan Monticello Montreal Nassau New_York Nipigon Pangnirtung Petersburg Port-au-Prince \
  Thunder_Bay Toronto Vevay Vincennes Winamac
  GMT0 Abidjan Accra Bamako Banjul Bissau Conakry Dakar Danmarkshavn Freetown Lome Monrovia Nouakchott \
  Ouagadougou Reykjavik Sao_Tome St_Helena Timbuktu
  CST6CDT,M3.2.0,M11.1.0 Beulah Center Central Chicago Indiana-Starke Knox Knox_IN Matamoros Menominee \
  New_Salem Ojinaga Rainy_River Rankin_Inlet Resolute Tell_City Winnipeg
  <+05>-5 Almaty Aqtau Aqtobe Ashgabat Ashkhabad Atyrau Dushanbe Kerguelen Maldives Oral Qostanay Qyzylorda \
  Samarkand Tashkent Yekaterinburg
  CST6 Bahia_Banderas Belize Chihuahua Costa_Rica El_Salvador Guatemala Managua Merida Mexico_City Monterrey \
  Regina Saskatchewan Swift_Current Tegucigalpa
  EET-2EEST,M3.5.0/3,M10.5.0/4 Athens Bucharest Famagusta Helsinki Kiev Kyiv Mariehamn Nicosia Riga Sofia \
  Tallinn Uzhgorod Vilnius Zaporozhye
  <+04>-4 Astrakhan Baku Dubai Mahe Mauritius Muscat Reunion Samara Saratov Tbilisi Ulyanovsk Yerevan
  <+07>-7 Bangkok Barnaul Christmas Ho_Chi_Minh Hovd Krasnoyarsk Novokuznetsk Novosibirsk Phnom_Penh Saigon \
  Tomsk Vientiane
  CAT-2 Blantyre Bujumbura Gaborone Harare Juba Khartoum Kigali Lubumbashi Lusaka Maputo Windhoek
  EAT-3 Addis_Ababa Antananarivo Asmara Asmera Comoro Dar_es_Salaam Djibouti Kampala Mayotte Mogadishu Nairobi
  WAT-1 Bangui Brazzaville Douala Kinshasa Lagos Libreville Luanda Malabo Ndjamena Niamey Porto-Novo
  <+03>-3 Aden Amman Baghdad Bahrain Damascus Istanbul Kuwait Minsk Qatar Riyadh
  <+11>-11 Bougainville Efate Guadalcanal Kosrae Magadan Noumea Pohnpei Ponape Sakhalin Srednekolymsk
  <+12>-12 Anadyr Fiji Funafuti Kamchatka Kwajalein Majuro Nauru Tarawa Wake Wallis
  MST7 Arizona Creston Dawson Dawson_Creek Fort_Nelson Hermosillo Mazatlan Phoenix Whitehorse Yukon
  <+06>-6 Bishkek Chagos Dacca Dhaka Kashgar Omsk Thimbu Thimphu Urumqi
  AEST-10AEDT,M10.1.0,M4.1.0/3 ACT Canberra Currie Hobart Melbourne NSW Sydney Tasmania Victoria
  MST7MDT,M3.2.0,M11.1.0 Boise Cambridge_Bay Ciudad_Juarez Denver Edmonton Inuvik Mountain Shiprock \
  Yellowknife
  <+08>-8 Brunei Choibalsan Irkutsk Kuala_Lumpur Kuching Singapore Ulaanbaatar Ulan_Bator
  <-04>4 Boa_Vista Campo_Grande Caracas Cuiaba Guyana La_Paz Manaus Porto_Velho
  AKST9AKDT,M3.2.0,M11.1.0 Alaska Anchorage Juneau Metlakatla Nome Sitka Yakutat
  AST4ADT,M3.2.0,M11.1.0 Atlantic Bermuda Glace_Bay Goose_Bay Halifax Moncton Thule
  CST-8 Chongqing Chungking Harbin Macao Macau Shanghai Taipei
  <+10>-10 Chuuk Port_Moresby Truk Ust-Nera Vladivostok Yap
  <-05>5 Bogota Eirunepe Guayaquil Lima Porto_Acre Rio_Branco
  EST5 Atikokan Cancun Cayman Coral_Harbour Jamaica Panama
  PST8PDT,M3.2.0,M11.1.0 Ensenada Los_Angeles Pacific Santa_Isabel Tijuana Vancouver
  <+09>-9 Chita Dili Khandyga Palau Yakutsk
  <+13>-13 Apia Enderbury Fakaofo Kanton Tongatapu
  GMT0BST,M3.5.0/1,M10.5.0 Belfast Guernsey Isle_of_Man Jersey London
  WET0WEST,M3.5.0/1,M10.5.0 Canary Faeroe Faroe Lisbon Madeira
  ACST-9:30ACDT,M10.1.0,M4.1.0/3 Adelaide Broken_Hill South Yancowinna
  MSK-3 Kirov Moscow Simferopol Volgograd
  <+0630>-6:30 Cocos Rangoon Yangon
  <-02>2<-01>,M3.5.0/-1,M10.5.0/0 Godthab Nuuk Scoresbysund
  AEST-10 Brisbane Lindeman Queensland
  HST10 Hawaii Honolulu Johnston
  HST10HDT,M3.2.0,M11.1.0 Adak Aleutian Atka
  SAST-2 Johannesburg Maseru Mbabane
  SST11 Midway Pago_Pago Samoa
  <+01>-1 Casablanca El_Aaiun
  <+0545>-5:45 Kathmandu Katmandu
  <+1030>-10:30<+11>-11,M10.1.0,M4.1.0 LHI Lord_Howe
  <-02>2 Noronha South_Georgia
  <-10>10 Rarotonga Tahiti
  ACST-9:30 Darwin North
  AWST-8 Perth West
  CET-1 Algiers Tunis
  ChST-10 Guam Saipan
  EET-2 Kaliningrad Tripoli
  EET-2EEST,M3.4.4/50,M10.4.4/50 Gaza Hebron
  EET-2EEST,M3.5.0,M10.5.0/3 Chisinau Tiraspol
  IST-2IDT,M3.4.4/26,M10.5.0 Jerusalem Tel_Aviv
  IST-5:30 Calcutta Kolkata
  KST-9 Pyongyang Seoul
  NST3:30NDT,M3.2.0,M11.1.0 Newfoundland St_Johns
  WIB-7 Jakarta Pontianak
  WITA-8 Makassar Ujung_Pandang
  <+0330>-3:30 Tehran
  <+0430>-4:30 Kabul
  <+0530>-5:30 Colombo
  <+0845>-8:45 Eucla
  <+11>-11<+12>,M10.1.0,M4.1.0/3 Norfolk
  <+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45 Chatham
  <+14>-14 Kiritimati
  <-01>1 Cape_Verde
  <-01>1<+00>,M3.5.0/0,M10.5.0/1 Azores
  <-03>3<-02>,M3.2.0,M11.1.0 Miquelon
  <-04>4<-03>,M9.1.6/24,M4.1.6/24 Santiago
  <-06>6 Galapagos
  <-06>6<-05>,M9.1.6/22,M4.1.6/22 Easter
  <-08>8 Pitcairn
  <-0930>9:30 Marquesas
  <-09>9 Gambier
  <-11>11 Niue
  CST5CDT,M3.2.0/0,M11.1.0/1 Havana
  EET-2EEST,M3.5.0/0,M10.5.0/0 Beirut
  EET-2EEST,M4.5.5/0,M10.5.4/24 Cairo
  HKT-8 Hong_Kong
  IST-1GMT0,M10.5.0,M3.5.0/1 Dublin
  JST-9 Tokyo
  NZST-12NZDT,M9.5.0,M4.1.0/3 Auckland
  PKT-5 Karachi
  PST-8 Manila
  WIT-9 Jayapura
  """
