// What `bgfetch check` says of a configuration.

import Core

/// A configuration that can be used, in one line.
func checkText(_ loaded: LoadedConfiguration, _ warnings: [String]) -> String {
  let settings = loaded.settings
  let found = warnings.isEmpty ? "no problems" : counted(warnings.count, "warning")
  let others = loaded.files.count > 1 ? " and \(counted(loaded.files.count - 1, "included file"))" : ""
  return "\(settings.path)\(others): \(counted(settings.feeds.count, "feed")), "
    + "\(counted(settings.hooks.count, "hook")), \(found)"
}

/// The same as JSON.
func checkJSON(_ loaded: LoadedConfiguration, _ warnings: [String]) -> JSONValue {
  let settings = loaded.settings
  return .object([
    ("type", .string("check")), ("file", .string(settings.path)),
    ("files", .array(loaded.files.map(JSONValue.string))),
    ("feeds", .number(Int64(settings.feeds.count))), ("hooks", .number(Int64(settings.hooks.count))),
    ("warnings", .array(warnings.map(JSONValue.string))),
  ])
}

/// A mistake in a configuration as JSON.
func problemJSON(_ problem: ConfigurationProblem) -> JSONValue {
  .object([
    ("type", .string("problem")), ("file", .string(problem.file)), ("line", .number(Int64(problem.line))),
    ("column", .number(Int64(problem.column))), ("what", .string(problem.what)),
    ("cure", .text(problem.cure)),
  ])
}
