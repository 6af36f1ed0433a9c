// The zones that dates of feeds name by a city: not all of the zone database, which a machine may lack.

/// The zone of a name such as `America/Argentina/Buenos_Aires`, by its last part; nil if it is unknown.
func namedZone(_ name: UnsafeBufferPointer<UInt8>) -> Zone? {
  guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
  let city = String(decoding: name[(slash + 1)...], as: UTF8.self)
  if ["UTC", "UCT", "GMT", "Universal", "Zulu"].contains(city) { return .utc }
  return rules[city.lowercased()].flatMap { Zone(name: city, posix: $0) }
}

private let rules: [String: String] = {
  var rules: [String: String] = [:]
  for zone in zoneRules.split(separator: ";") {
    let words = zone.split(separator: " ")
    for city in words.dropFirst() { rules[city.lowercased()] = String(words[0]) }
  }
  return rules
}()

/// Rules (POSIX XBD 8.3) of the zones that dates of feeds name, with the last parts of their names.
private let zoneRules = """
  CET-1CEST,M3.5.0,M10.5.0/3 Amsterdam Belgrade Berlin Bratislava Brussels Budapest Copenhagen Ljubljana Luxembourg \
  Madrid Oslo Paris Prague Rome Sarajevo Stockholm Vienna Warsaw Zagreb Zurich; \
  EET-2EEST,M3.5.0/3,M10.5.0/4 Athens Bucharest Helsinki Kiev Kyiv Riga Sofia Tallinn Vilnius; \
  WET0WEST,M3.5.0/1,M10.5.0 Lisbon; GMT0BST,M3.5.0/1,M10.5.0 Belfast London; IST-1GMT0,M10.5.0,M3.5.0/1 Dublin; \
  GMT0 Accra Reykjavik; MSK-3 Moscow; <+03>-3 Istanbul Minsk Riyadh; IST-2IDT,M3.4.4/26,M10.5.0 Jerusalem Tel_Aviv; \
  EET-2EEST,M4.5.5/0,M10.5.4/24 Cairo; WAT-1 Lagos; EAT-3 Nairobi; SAST-2 Johannesburg; \
  EST5EDT,M3.2.0,M11.1.0 Detroit Eastern Indianapolis Montreal New_York Toronto; \
  CST6CDT,M3.2.0,M11.1.0 Central Chicago Winnipeg; MST7MDT,M3.2.0,M11.1.0 Denver Edmonton Mountain; \
  PST8PDT,M3.2.0,M11.1.0 Los_Angeles Pacific Tijuana Vancouver; MST7 Arizona Phoenix; \
  AST4ADT,M3.2.0,M11.1.0 Atlantic Halifax; AKST9AKDT,M3.2.0,M11.1.0 Alaska Anchorage; HST10 Hawaii Honolulu; \
  CST6 Costa_Rica Guatemala Mexico_City; <-05>5 Bogota Lima; EST5 Jamaica Panama; <-04>4 Caracas La_Paz; \
  <-03>3 Bahia Buenos_Aires Fortaleza Montevideo Recife Sao_Paulo; \
  <+0330>-3:30 Tehran; <+04>-4 Baku Dubai Tbilisi Yerevan; PKT-5 Karachi; <+05>-5 Almaty Tashkent Yekaterinburg; \
  IST-5:30 Calcutta Kolkata; <+06>-6 Dhaka; <+07>-7 Bangkok Ho_Chi_Minh Novosibirsk Saigon; WIB-7 Jakarta; \
  <+08>-8 Kuala_Lumpur Singapore; CST-8 Macau Shanghai Taipei; HKT-8 Hong_Kong; PST-8 Manila; KST-9 Seoul; \
  JST-9 Tokyo; AWST-8 Perth; AEST-10 Brisbane; ACST-9:30ACDT,M10.1.0,M4.1.0/3 Adelaide; \
  AEST-10AEDT,M10.1.0,M4.1.0/3 Canberra Hobart Melbourne Sydney; NZST-12NZDT,M9.5.0,M4.1.0/3 Auckland
  """
