// Cron expressions and regular expressions: read once each, however many feeds have them.

import Core

/// Expressions that were found right.
struct KnownExpressions {
  /// Cron expressions by their text.
  var schedules: [String: CronExpression] = [:]
  /// Hours of the week by their text.
  var hours: [String: WeeklyHours] = [:]
  /// Regular expressions.
  var patterns: Set<String> = []
  /// Templates by their text.
  var templates: [String: Template] = [:]
}

extension Field {
  /// One cron expression.
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

  /// Regular expressions in the syntax of Pattern.
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
