import Calotype
import CalotypeCodecs
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeServer

private func record(
    _ status: Int = 200,
    _ cache: CacheOutcome? = nil,
    source: String? = nil,
    milliseconds: Int = 1,
    error: String? = nil
) -> ServiceRecord {
    var record = ServiceRecord(status: status, duration: .milliseconds(milliseconds))
    (record.cache, record.source, record.errorCode) = (cache, source, error)
    record.byteCount = 100
    return record
}

private func statistics(
    _ records: [ServiceRecord],
    tiers: Set<ServiceStatistics.Tier> = [.memory, .disk]
) -> StatisticsSnapshot {
    let statistics = ServiceStatistics(tiers: tiers)
    for record in records { statistics.didRespond(record) }
    return statistics.snapshot
}

@Suite(.gated) struct ServiceStatisticsTests {
    @Test func `responses are counted by status, with their bytes`() {
        let snapshot = statistics([record(200), record(304), record(200), record(499)])
        #expect(snapshot.statusCounts == [200: 2, 304: 1, 499: 1])
        #expect(snapshot.requestCount == 4 && snapshot.byteCount == 400)
    }

    @Test(arguments: [
        (CacheOutcome.memory, ["memory hit"]), (.disk, ["memory miss", "disk hit"]),
        (.stale, ["memory miss", "disk stale"]),
        (.miss, ["memory miss", "disk miss"]),
    ])
    func `a response counts as a lookup in each tier down to its source`(
        outcome: CacheOutcome,
        lookups: [String]
    ) {
        let snapshot = statistics([record(200, outcome)])
        let counted = snapshot.lookups.filter { $0.value == 1 }.keys.map {
            "\($0.tier.rawValue) \($0.outcome.rawValue)"
        }
        #expect(Set(counted) == Set(lookups) && snapshot.lookups.count == lookups.count)
    }

    @Test func `a response without an image counts no lookup`() {
        let snapshot = statistics([record(200, .miss), record(403, nil)])
        #expect(snapshot.count(.disk, .miss) == 1 && snapshot.count(.memory, .miss) == 1)
        #expect(snapshot.hitRatio(of: .disk) == 0)
    }

    @Test func `without a disk tier no disk lookups are counted`() throws {
        let snapshot = statistics([record(200, .miss), record(200, .memory)], tiers: [.memory])
        #expect(snapshot.count(.memory, .miss) == 1 && snapshot.count(.memory, .hit) == 1)
        #expect(snapshot.lookups.keys.allSatisfy { $0.tier == .memory })
        #expect(!PrometheusText.text(snapshot, ServiceReadings()).contains("disk\""))
        let status = String(decoding: try StatusDocument(snapshot, ServiceReadings()).json(), as: UTF8.self)
        #expect(!status.contains("disk"))
    }

    @Test func `the last fifty errors are retained, and error labels are bounded`() {
        let snapshot = statistics((0..<150).map { record(404, error: "code\($0)") })
        #expect(snapshot.failures.map(\.record.errorCode) == (100..<150).map { "code\($0)" })
        #expect(snapshot.errorCounts.count == 101 && snapshot.errorCounts["other"] == 50)
    }

    @Test func `shared work counts its steps once`() {
        var first = record(200, .miss)
        first.timings.decode = .milliseconds(2)
        var second = first
        second.sharesWork = true
        #expect(statistics([first, second, second]).steps["decode"]?.count == 1)
    }

    @Test func `a frequent source stays in the table among many single ones`() {
        let once = (0..<5_000).map { record(source: "http://a.test/\($0)") }
        let often = (0..<200).map { _ in record(source: "http://a.test/often") }
        let mixed = zip(0..., once).flatMap { index, one in
            index % 25 == 0 ? [one, often[index / 25]] : [one]
        }
        let top = statistics(mixed).sources.mostFrequent(1)
        #expect(top.first?.source == "http://a.test/often")
        #expect(top.first.map { $0.count - $0.excess <= 200 && $0.count >= 200 } == true)
        #expect(statistics(mixed).sources.mostFrequent(10_000).count == StatisticsSnapshot.maxSourceCount)
    }

    @Test func `the slowest sources are listed once each, with their longest response`() {
        let records = (0..<50).flatMap { index in
            [record(source: "s\(index)", milliseconds: index), record(source: "s\(index)", milliseconds: 1)]
        }
        let slowest = statistics(records).slowest.entries
        #expect(slowest.map(\.source) == (30..<50).reversed().map { "s\($0)" })
        #expect(slowest.first?.duration == .milliseconds(49))
    }

    @Test func `the next observer receives the same records`() {
        final class Next: ServiceObserver {
            let statuses = SharedState<[Int]>([])
            func didRespond(_ record: ServiceRecord) { statuses.withLock { $0.append(record.status) } }
        }
        let next = Next()
        ServiceStatistics(then: next).didRespond(record(418))
        #expect(next.statuses.value == [418])
    }
}

@Suite(.gated) struct LatencyHistogramTests {
    @Test func `a duration counts in the first bucket that it does not exceed`() {
        var histogram = LatencyHistogram()
        for duration in [Duration.zero, .microseconds(500), .microseconds(501), .seconds(30), .seconds(31)] {
            histogram.add(duration)
        }
        #expect(histogram.counts.first == 2 && histogram.counts[1] == 1)
        #expect(histogram.counts.suffix(2) == [1, 1] && histogram.count == 5)
    }

    @Test func `quantiles are the bounds not exceeded by their share`() {
        var histogram = LatencyHistogram()
        #expect(histogram.quantile(0.5) == nil)
        for _ in 0..<99 { histogram.add(.milliseconds(1)) }
        histogram.add(.seconds(60))
        #expect(histogram.quantile(0.5) == 0.001 && histogram.quantile(0.99) == 0.001)
        #expect(histogram.quantile(1) == .infinity)
    }
}

@Suite(.gated) struct StatisticsTextTests {
    private var readings: ServiceReadings {
        var readings = ServiceReadings()
        readings.memory = .init(10, of: 100)
        (readings.load.maxRunningCount, readings.load.maxWaitingCount) = (32, 256)
        readings.disks = ["a\"b\\c\n": .init(7)]
        (readings.version, readings.isReady) = ("1", false)
        (readings.load.startedCount, readings.load.endedCount, readings.load.decodeCount) = (9, 8, 7)
        (readings.fetchCount, readings.unwrittenByteCount) = (3, 12)
        (readings.processorTime, readings.descriptors) = (.milliseconds(1_500), .init(20, of: 1_024))
        readings.evictionCounts = ["memory": 4, "disk": 5]
        (readings.reloadCounts, readings.residentByteCount) = (["failed": 1], 4_096)
        return readings
    }

    @Test func `the metrics have their documented names`() {
        let text = PrometheusText.text(statistics([record(200, .miss), record(404, error: "x")]), readings)
        let lines = text.split(separator: "\n")
        for line in [
            #"calotype_requests_total{status="200"} 1"#,
            #"calotype_cache_lookups_total{tier="memory",outcome="miss"} 1"#,
            #"calotype_cache_lookups_total{tier="disk",outcome="hit"} 0"#,
            #"calotype_errors_total{code="x"} 1"#, "calotype_memory_cache_bytes_limit 100",
            "calotype_work_started_total 9", "calotype_work_ended_total 8", "calotype_decodes_total 7",
            "calotype_fetches_running 3", "calotype_unwritten_bytes 12",
            "process_cpu_seconds_total 1.5", "process_open_fds 20", "process_max_fds 1024",
            "process_resident_memory_bytes 4096", #"calotype_evictions_total{tier="memory"} 4"#,
            #"calotype_reloads_total{outcome="failed"} 1"#, "calotype_ready 0",
            "calotype_work_running_limit 32", "calotype_work_waiting_limit 256",
            #"calotype_request_duration_seconds_bucket{cache="miss",le="+Inf"} 1"#,
            #"calotype_request_duration_seconds_count{cache="none"} 1"#,
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test func `worker metrics exist if codecs run in workers, with the reasons for replacement`() throws {
        var workers = CodecWorkerStatistics()
        (workers.processCount, workers.busyCount, workers.startedCount, workers.jobCount) = (2, 1, 5, 40)
        workers.memoryByteCount = 77
        (workers.lossCounts, workers.renewedCount) = ([.crashed: 2, .timedOut: 1], 3)
        var readings = readings
        let none = statistics([])
        #expect(!PrometheusText.text(none, readings).contains("codec_"))
        readings.workers = workers
        let lines = PrometheusText.text(none, readings).split(separator: "\n")
        for line in [
            "calotype_codec_workers 2", "calotype_codec_workers_busy 1",
            "calotype_codec_workers_started_total 5", "calotype_codec_workers_memory_bytes 77",
            "calotype_codec_jobs_total 40", #"calotype_codec_workers_replaced_total{reason="crashed"} 2"#,
            #"calotype_codec_workers_replaced_total{reason="memoryExceeded"} 0"#,
            #"calotype_codec_workers_replaced_total{reason="renewed"} 3"#,
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        let data = try StatusDocument(none, readings).json()
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let told = try #require(object["workers"] as? [String: Any])
        #expect(told["busy"] as? Int == 1 && (told["replaced"] as? [String: Int])?["timedOut"] == 1)
    }

    @Test func `the help of each metric is self-contained`() {
        var readings = readings
        readings.workers = CodecWorkerStatistics()
        let text = PrometheusText.text(statistics([record(200, .memory)]), readings)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("# HELP ") }
        let helps = lines.map { $0.split(separator: " ", maxSplits: 3)[3] }
        #expect(helps.count > 30)
        for help in helps {
            #expect(help.count > 18 && help.hasSuffix("."), "\(help)")
            let first = help.prefix { $0 != " " }
            #expect(!["Those", "It", "The", "That", "Them", "Which", "Since"].contains(first), "\(help)")
        }
    }

    @Test func `every line is a comment or a sample, whatever a label contains`() throws {
        let records = [record(500, error: "quo\"te\n#\\")]
        let text = PrometheusText.text(statistics(records), readings)
        let sample = try Regex(
            #"^(calotype|process)_[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [-+0-9.eInf]+$"#
        )
        for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
            #expect(line.wholeMatch(of: sample) != nil, "\(line)")
        }
    }

    @Test func `buckets are cumulative, and each metric is declared once`() {
        let text = PrometheusText.text(statistics([record(200, .memory), record(200, .memory)]), readings)
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
        let counts = text.split(separator: "\n").filter { $0.contains("_bucket") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counts == counts.sorted() && counts.last == 2)
    }

    @Test func `the console document is JSON with the counts`() throws {
        let hostile = "http://a.test/</script><img src=x onerror=alert(1)>\u{202E}"
        var failed = record(502, .miss, source: hostile, error: "unacceptableStatus")
        failed.errorDetail = "“quoted”\n"
        let data = try StatusDocument(statistics([failed, record(200, .memory)]), readings).json()
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["requests"] as? Int == 2)
        #expect(
            object["started"] as? Int == 9 && object["ended"] as? Int == 8 && object["decodes"] as? Int == 7
        )
        #expect(object["runningLimit"] as? Int == 32 && object["waitingLimit"] as? Int == 256)
        let frequent = try #require(object["frequent"] as? [[String: Any]])
        #expect(frequent.first?["source"] as? String == hostile)
        let failures = try #require(object["failures"] as? [[String: Any]])
        #expect(failures.first?["detail"] as? String == failed.errorDetail)
        let tiers = try #require(object["tiers"] as? [[String: Any]])
        #expect(tiers.map { $0["name"] as? String } == ["memory", "disk"])
    }
}
