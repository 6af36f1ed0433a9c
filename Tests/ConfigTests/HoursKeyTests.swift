// `hours` of feeds and of their messages.

import Config
import Core
import Testing

@Suite struct HoursKeyTests {
  /// The hours of the one feed and of its messages.
  private func hours(_ keys: String, defaults: String = "{}") throws -> [WeeklyHours?] {
    let feed = try ConfigTests.feed(keys, defaults: defaults)
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

  @Test func `a schedule need fire inside the hours only once`() {
    let feed = "url: \"https://planet.example/\""

    #expect(problems("defaults: {schedule: \"0 3 * * *\"}\nfeeds: {p: {\(feed), hours: always}}") == [])
    #expect(
      problems("feeds: {p: {\(feed), hours: 08:00-18:00, schedule: [\"0 3 * * *\", \"0 12 * * *\"]}}") == [])
  }
}
