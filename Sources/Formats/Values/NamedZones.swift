// The zones that dates name by a region and a city, such as `America/Los_Angeles`, with the rules that are in force.
// Formats reads no files, and feeds have few dates from before the last change of a rule.

import Core

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
