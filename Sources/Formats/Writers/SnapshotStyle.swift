// The style sheet of the snapshot page, and its checksum, by which the page's Content-Security-Policy allows it.

enum SnapshotStyle {
  /// The SHA-256 of `sheet` in Base64 (CSP Level 3 section 2.3.1); a test compares the two.
  static let checksum = "xNuQwddJuYfafD8/iHHrqizYM/bB3o6b/xA62vH01yI="

  static let sheet = """
    :root {
      color-scheme: light dark;
      --paper: #fcfbf8; --ink: #22211e; --soft: #6b6860; --line: #e3e0d7; --link: #1c4f82; --mark: #b4552d;
    }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #18181b; --ink: #e8e6e0; --soft: #9c998f; --line: #34343a; --link: #9cc4ec; --mark: #e39a74; }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 46rem; background: var(--paper); color: var(--ink);
      font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
    }
    a { color: inherit; text-decoration: none; }
    a:hover { color: var(--link); text-decoration: underline; text-underline-offset: 0.2em; }
    a:focus-visible { outline: 2px solid var(--mark); outline-offset: 3px; border-radius: 2px; }
    .skip { position: absolute; left: -99rem; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem; }
    h1 { margin: 0; font-size: 2rem; line-height: 1.15; font-weight: 650; letter-spacing: -0.02em; }
    header p { margin: 0.35rem 0 0; color: var(--soft); font-size: 0.9375rem; }
    nav { margin: 1.75rem 0 0; padding: 0.9rem 0; border: solid var(--line); border-width: 1px 0; }
    nav ul { display: flex; flex-wrap: wrap; gap: 0.35rem 1.35rem; margin: 0; padding: 0; list-style: none; }
    nav a { font-size: 0.9375rem; }
    nav b { font-weight: 400; color: var(--soft); font-variant-numeric: tabular-nums; }
    section { margin-top: 2.75rem; }
    h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
    h3 {
      margin: 1.1rem 0 0.15rem; font-size: 0.75rem; line-height: 1.5; font-weight: 600; letter-spacing: 0.06em;
      text-transform: uppercase; color: var(--mark);
    }
    ol { margin: 0; padding: 0; list-style: none; }
    li.item { display: grid; grid-template-columns: 3.75rem 1fr; padding: 0.5rem 0; }
    time { color: var(--soft); font-size: 0.875rem; line-height: 1.6rem; font-variant-numeric: tabular-nums; }
    .title { font-weight: 550; }
    .none { margin: 3rem 0; color: var(--soft); }
    .text { margin: 0.15rem 0 0; color: var(--soft); font-size: 0.9375rem; line-height: 1.45; }
    .files { margin: 0.25rem 0 0; font-size: 0.875rem; }
    .files a { color: var(--link); }
    img { display: block; max-width: 100%; max-height: 14rem; margin-top: 0.5rem; border-radius: 4px; }
    footer { margin-top: 3.5rem; padding-top: 0.9rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.875rem; }
    @media (max-width: 30rem) {
      body { padding-top: 1.5rem; }
      h1 { font-size: 1.625rem; }
      li.item { grid-template-columns: 1fr; padding: 0.6rem 0; }
      time { order: 2; line-height: 1.4; margin-top: 0.15rem; }
    }
    @media print { nav, .skip { display: none; } body { max-width: none; } }
    """
}
