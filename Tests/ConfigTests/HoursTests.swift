// `hours` of feeds and of their messages.

import Config
import Core
import Testing

@Suite struct HoursTests {
  /// The hours of the one feed and of its messages.
  private func hours(_ keys: String, defaults: String = "{}") throws -> [WeeklyHours?] {
    let settings = try #require(
      reading("defaults: \(defaults)\nfeeds: {planet: {url: \"https://planet.example/\", \(keys)}}").settings)
    let feed = try #require(settings.feeds.first)
    return [feed.hours, feed.notify?.hours]
  }

  private func parsed(_ text: String) throws -> WeeklyHours { try WeeklyHours(parsing: text) }

  @Test func `hours are a text, or a list of which any will do`() throws {
    #expect(try hours("hours: always") == [.always, .always])
    #expect(try hours("hours: mon-fri 08:00-18:00") == [parsed("mon-fri 08:00-18:00"), .always])
    #expect(try hours("hours: 22:00-06:00") == [parsed("22:00-06:00"), .always])
    #expect(
      try hours("hours: [\"mon-fri 08:00-12:00, 13:00-18:00\", sat]")
        == [parsed("mon-fri 08:00-12:00, 13:00-18:00, sat"), .always])
    #expect(try hours("notify: {hours: 08:00-22:00}") == [.always, parsed("08:00-22:00")])
  }

  @Test func `hours of defaults apply to a feed without hours, and none or always unset them`() throws {
    let defaults = "{hours: 08:00-18:00, notify: {hours: 09:00-17:00}}"

    #expect(try hours("title: x", defaults: defaults) == [parsed("08:00-18:00"), parsed("09:00-17:00")])
    #expect(try hours("hours: none, notify: {hours: none}", defaults: defaults) == [.always, .always])
    #expect(
      try hours("hours: always, notify: {sound: x}", defaults: defaults) == [.always, parsed("09:00-17:00")])
    #expect(try hours("hours: sat", defaults: defaults) == [parsed("sat"), parsed("09:00-17:00")])
  }

  @Test(arguments: [
    (
      "hours: 8-18",
      "bgfetch.yaml:2:14: hours: \"8\" is not a time of day; write 08:00-18:00"
    ),
    (
      "hours: \"mon-fri 08:00-25:00\"",
      "bgfetch.yaml:2:29: hours: hour 25 is not from 0 to 24; write 01:00 for the next day"
    ),
    (
      "hours: [sat, \"firday 08:00-12:00\"]",
      "bgfetch.yaml:2:21: an entry of hours: \"firday\" is not a day of the week; did you mean \"fri\"?"
    ),
    (
      "hours: []",
      "bgfetch.yaml:2:14: hours is an empty list; write always, or ranges such as mon-fri 08:00-18:00"
    ),
    (
      "hours: {from: 8}",
      "bgfetch.yaml:2:14: hours must not be a mapping; write hours of the week such as \"mon-fri 08:00-18:00\", or always"
    ),
    (
      "schedule: \"0 3 * * *\", hours: 08:00-18:00",
      "bgfetch.yaml:2:37: the schedule never fires within the hours 08:00-18:00; change or remove one of them"
    ),
  ])
  func `a mistake is reported at its place`(keys: String, message: String) {
    #expect(problems("feeds:\n  p: {\(keys), url: \"https://planet.example/\"}") == [message])
  }

  @Test func `a schedule must fire inside the hours, even if defaults give one of them`() {
    let feed = "url: \"https://planet.example/\""

    #expect(
      problems("defaults: {schedule: \"0 3 * * *\"}\nfeeds: {p: {\(feed), hours: sat 08:00-18:00}}").count
        == 1)
    #expect(
      problems("defaults: {hours: 08:00-18:00}\nfeeds: {p: {\(feed), schedule: \"0 3 * * sun\"}}").count == 1)
    // Reported once, however many feeds inherit it.
    #expect(
      problems(
        "defaults: {hours: 08:00-18:00, schedule: \"0 3 * * *\"}\nfeeds: {p: {\(feed)}, q: {url: \"https://q.example/\"}}"
      ).count == 1)
    #expect(
      problems("defaults: {schedule: \"0 3 * * *\"}\nfeeds: {p: {\(feed), hours: always}}") == [])
    #expect(
      problems("feeds: {p: {\(feed), hours: 08:00-18:00, schedule: [\"0 3 * * *\", \"0 12 * * *\"]}}") == [])
  }
}
