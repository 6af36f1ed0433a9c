// Cron expressions, hours of the week and regular expressions, each compiled once for all feeds that have it.

import Core

/// The expressions that are known to be correct.
struct KnownExpressions {
  var schedules: [String: CronExpression] = [:]
  var hours: [String: WeeklyHours] = [:]
  var patterns: Set<String> = []
  var templates: [String: Template] = [:]
}

extension Field {
  func cronExpression() -> CronExpression? {
    guard let text = text(expecting: "a cron expression such as \"*/10 7-22 * * mon-fri\"") else {
      return nil
    }
    if let known = pass.expressions.schedules[text] { return known }
    do throws(TextProblem) {
      let expression = try CronExpression(parsing: text)
      pass.expressions.schedules[text] = expression
      return expression
    } catch {
      pass.report(
        "schedule: \(shown(error.what, limit: 200))", at: place(ofCharacter: error.column - 1),
        cure: shown(error.cure, limit: 200))
      return nil
    }
  }

  func patterns() -> [String]? {
    elements(expecting: "a list of regular expressions such as [sponsored]")?.compactMap { $0.pattern() }
  }

  private func pattern() -> String? {
    guard let text = someText(expecting: "a regular expression") else { return nil }
    if pass.expressions.patterns.contains(text) { return text }
    do throws(TextProblem) {
      _ = try Pattern(parsing: text)
      pass.expressions.patterns.insert(text)
    } catch {
      pass.report(
        "\"\(shown(text))\" is not a regular expression: \(shown(error.what))",
        at: place(ofCharacter: error.column - 1), cure: shown(error.cure))
    }
    return text
  }
}

extension Field {
  /// Hours of the week; those of a list are joined.
  func weeklyHours() -> WeeklyHours? {
    guard case .sequence(let nodes) = node.content else { return oneWeeklyHours() }
    guard !nodes.isEmpty else {
      report("\(name) is an empty list", cure: "write always, or ranges such as mon-fri 08:00-18:00")
      return nil
    }
    let all = (elements(expecting: "hours of the week") ?? []).compactMap { $0.oneWeeklyHours() }
    guard let first = all.first else { return nil }
    return all.dropFirst().reduce(first) { $0.union($1) }
  }

  private func oneWeeklyHours() -> WeeklyHours? {
    guard let text = text(expecting: "hours of the week such as \"mon-fri 08:00-18:00\", or always") else {
      return nil
    }
    if let known = pass.expressions.hours[text] { return known }
    do throws(TextProblem) {
      let hours = try WeeklyHours(parsing: text)
      pass.expressions.hours[text] = hours
      return hours
    } catch {
      pass.report(
        "\(name): \(shown(error.what, limit: 200))", at: place(ofCharacter: error.column - 1),
        cure: shown(error.cure, limit: 200))
      return nil
    }
  }
}
