import Foundation
import TestSupport
import Testing

/// Rules, dashboards and documents, checked against the metrics of the service.
@Suite(.gated) struct MetricNameTests {
    private let service = ExportedMetrics.ofService

    private static let pages: [String] = {
        let folder = Document.root.appending(path: "Docs/service").path
        let names = FileManager.default.enumerator(atPath: folder)?.allObjects.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".md") || $0.hasSuffix(".yaml") }.sorted()
    }()

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable {
                let expr: String
                let legendFormat: String
            }

            let id: Int
            let type: String
            let title: String
            let targets: [Target]?
        }

        struct Templating: Decodable {
            struct Variable: Decodable {
                let name: String
            }

            let list: [Variable]
        }

        let panels: [Panel]
        let templating: Templating
    }

    private func dashboard() throws -> Dashboard {
        let text = try Document("Docs/service/dashboard.json").text
        return try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8))
    }

    @Test func `every metric and label in pages and rules exists in the service`() throws {
        #expect(Self.pages.contains("alerts.yaml") && Self.pages.contains("operation.md"))
        for page in Self.pages {
            let missing = service.missing(in: try Document("Docs/service/\(page)").text)
            #expect(missing.sorted() == [], "\(page)")
        }
    }

    @Test func `every metric and label of the dashboard exists in the service`() throws {
        let targets = try dashboard().panels.flatMap { $0.targets ?? [] }
        #expect(targets.count > 30)
        for target in targets {
            let missing = service.missing(in: "\(target.expr) \(target.legendFormat)")
            #expect(missing.sorted() == [], "\(target.expr)")
            #expect(target.expr.contains("calotype_"))
        }
        // With the queries that fill its variables.
        let text = try Document("Docs/service/dashboard.json").text
        #expect(service.missing(in: text.replacing("\\\"", with: "\"")).sorted() == [])
    }

    @Test func `the panels of the dashboard have unique numbers and defined variables`() throws {
        let dashboard = try dashboard()
        let numbers = dashboard.panels.map(\.id)
        #expect(Set(numbers).count == numbers.count)
        for panel in dashboard.panels {
            #expect((panel.type == "row") == (panel.targets ?? []).isEmpty, "\(panel.title)")
        }
        let known = Set(dashboard.templating.list.map { "$\($0.name)" } + ["$__rate_interval"])
        for target in dashboard.panels.flatMap({ $0.targets ?? [] }) {
            for variable in target.expr.matches(of: /\$\w+/).map({ String($0.output) }) {
                #expect(known.contains(variable), "\(variable)")
            }
        }
    }

    @Test func `every metric is documented in the operation page`() throws {
        let rows = try Document("Docs/service/operation.md").rows(under: "What to watch")
        let named = Set(
            rows.flatMap { Document.codes(in: $0[0]) }.map { code in String(code.prefix { $0 != "{" }) }
        )
        for series in service.labels.keys.sorted() where series.hasPrefix("calotype_") {
            let metric = series.replacing(/(_bucket|_sum|_count)$/, with: "")
            // The limit of a metric is documented with it as `_limit`.
            let base = metric.hasSuffix("_limit") ? String(metric.dropLast("_limit".count)) : metric
            #expect(named.contains(metric) || named.contains(base), "\(metric)")
        }
    }

    @Test func `each alert has a test and a documented action`() throws {
        let rules = try Document("Docs/service/alerts.yaml").text
        let alerts = rules.matches(of: /- alert: (\w+)/).map { String($0.1) }
        #expect(alerts.count > 10 && Set(alerts).count == alerts.count)
        let tests = try Document("Docs/service/alerts-test.yaml").text
        #expect(tests.matches(of: /- name: (Calotype\w+)/).map { String($0.1) }.sorted() == alerts.sorted())
        let rows = try Document("Docs/service/monitoring.md").rows(under: "Alert rules")
        #expect(rows.map { Document.codes(in: $0[0]).joined() }.sorted() == alerts.sorted())
        #expect(rows.allSatisfy { $0.count == 3 && !$0[2].isEmpty })
    }

    @Test func `the library page names the metrics of its observer`() throws {
        let source = try Document("Sources/Calotype/Observers/MetricsObserver.swift").text
        let own = Set(source.matches(of: /"(calotype_[a-z_]+)"/).map { String($0.1) })
        let page = try Document("Docs/observability.md").text
        let named = Set(page.matches(of: /calotype_[a-z_]+/).map { String($0.output) })
        #expect(own.count > 15)
        #expect(named.subtracting(own).sorted() == [] && own.subtracting(named).sorted() == [])
    }

    @Test(arguments: [
        ("rate(calotype_request_total[5m])", ["calotype_request_total"]),
        ("calotype_requests_total{code=\"500\"}", ["calotype_requests_total{code}"]),
        ("calotype_requests_total{status=~\"code|5..\", job=\"a\"}", []),
        ("calotype_request_duration_seconds", []),
        ("sum by (colour) (calotype_ready)", ["{colour}"]),
        ("sum by (le, cache) (calotype_request_duration_seconds_bucket{cache=\"x\"}) {{ $labels.le }}", []),
        ("{{ $labels.color }}", ["{color}"]),
        ("`calotype_step_duration_seconds{tier}`", ["calotype_step_duration_seconds{tier}"]),
    ])
    func `an unknown metric or label is reported`(text: String, expected: [String]) {
        #expect(service.missing(in: text).sorted() == expected)
    }
}
