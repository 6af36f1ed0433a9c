// HTML to plain text: what is removed, what separates words, and where it is cut.

import Core
import TestKit
import Testing

@Suite struct PlainTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("  a \n\t b  ", "a b"), ("<b>bold</b>ly", "boldly"),
    ("<p>one</p><p>two</p>", "one two"), ("one<br>two<br/>three", "one two three"), ("<li>a<li>b", "a b"),
    ("1 < 2", "1 < 2"), ("a <3 b", "a <3 b"), ("2 &lt; 3 &amp; 4", "2 < 3 & 4"), ("a&nbsp;&nbsp;b", "a b"),
    ("<a title=\"a > b\">x</a>", "x"), ("<a title='it\"s >'>x</a>", "x"), ("<a href=x'y>it's</a>", "it's"),
    ("a<!-- b > c -->d", "ad"), ("a<!DOCTYPE html>b", "ab"), ("a<?php x ?>b", "ab"), ("<![CDATA[x]]", "x]]"),
    ("a<script>if (x < y) { \"</b>\" }</script>b", "a b"), ("a<STYLE type=x>p{}</STYLE >b", "a b"),
    ("a<template>b</template>c<p hidden>d</p>e<i style='display:none'>f</i>g", "a c eg"),
    ("a<i style='display:block'>b</i>c", "a b c"),
    ("<b><math><mi>x</mi></math><i aria-hidden=true>x</i></b><i aria-hidden=true>y</i>", "xy"),
    ("a <img class=emoji alt=🙂 src=x> b<img alt=c src=x>", "a 🙂 b"),
    ("<b><math alttext='x'></math></b><img class=math alt=x src=x> <img class=math alt=y src=x>", "x y"),
    ("<scripture>x</scripture>", "x"), ("x<b", "x"), ("x</", "x</"), ("<", "<"), ("a<b<i>c", "a c"),
    ("&amp;lt;b&amp;gt;", "&lt;b&gt;"), ("кафе\u{3000}чай", "кафе чай"), ("<script>never closed", ""),
    ("a\u{4}b \u{4}", "a\u{4}b \u{4}"), ("\u{4}<b>\u{1}</b>", "\u{4}\u{1}"),
  ])
  func `markup is removed and text stays`(html: String, expected: String) {
    #expect(plainText(fromHTML: html, limit: 1000) == expected)
  }

  @Test(arguments: [
    ("abcdef", 3, "abc"), ("äöü", 3, "ä"), ("ab cd", 3, "ab"), ("abc", 0, ""), ("👨‍👩‍👧x", 20, "👨‍👩‍👧x"),
    ("ab👨‍👩‍👧", 10, "ab"), ("abe\u{301}", 3, "ab"), ("🇩🇪🇫🇷", 12, "🇩🇪"),
  ])
  func `the text is cut at the limit, and within a grapheme cluster only if it is larger`(
    html: String, limit: Int, expected: String
  ) {
    let large = plainText(fromHTML: "a" + String(repeating: "\u{301}", count: 1_000_000), limit: 101)

    #expect(plainText(fromHTML: html, limit: limit) == expected)
    #expect(large.utf8.count == 101)
  }

  @Test(arguments: [
    "<a", "<", "&", "&amp;", "<!--", "<![CDATA[", "<script>", "</script", "<a b=\"", "<a b='", "e\u{301}",
    "🇩", "\"<a b=", "<p>", "<?", "\u{200D}",
  ])
  func `hostile text takes time in proportion to its size`(piece: String) {
    expectLinear { size in
      let text = String(repeating: piece, count: size / piece.utf8.count)
      _ = plainText(fromHTML: text, limit: .max)
      _ = plainText(fromHTML: text, limit: 1000)
    }
  }
}
