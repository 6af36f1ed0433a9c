// Cron expressions and regular expressions, each compiled once for all feeds that have it.

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
    do throws(CronProblem) {
      let expression = try CronExpression(parsing: text)
      pass.expressions.schedules[text] = expression
      return expression
    } catch {
      pass.report("schedule: \(error.what)", at: place(ofCharacter: error.column - 1), cure: error.cure)
      return nil
    }
  }

  func patterns() -> [String]? {
    elements(expecting: "a list of regular expressions such as [sponsored]")?.compactMap { $0.pattern() }
  }

  private func pattern() -> String? {
    guard let text = someText(expecting: "a regular expression"), !text.isEmpty else { return nil }
    if pass.expressions.patterns.contains(text) { return text }
    do throws(PatternProblem) {
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
