import CalotypeSupport
import CalotypeTesting
import Glibc
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct MemoryPressureSignalTests {
    @Test func `a trigger is written in the kernel's format`() {
        #expect(StallTrigger.warning.text == "some 150000 2000000")
        #expect(StallTrigger.critical.text == "full 200000 2000000")
    }

    @Test func `the counters of a group are parsed among other lines`() {
        let text = "low 3\nhigh 12\nmax 4\noom 1\noom_kill 1\nodd line here\nmax x\n"
        let events = CgroupMemoryEvents(parsing: text)
        #expect(events.high == 12 && events.max == 4 && events.oom == 1)
        #expect(CgroupMemoryEvents(parsing: "") == CgroupMemoryEvents())
    }

    @Test
    func `a touched limit is a warning if memory is short, and a failed allocation critical`() {
        let old = CgroupMemoryEvents(parsing: "high 1\nmax 1\noom 1")
        func pressure(_ text: String, isShort: Bool) -> MemoryPressure? {
            CgroupMemoryEvents(parsing: text).pressure(since: old) { isShort }
        }
        #expect(pressure("high 1\nmax 1\noom 1\nlow 7", isShort: true) == nil)
        #expect(pressure("high 2\nmax 1\noom 1", isShort: true) == .warning)
        #expect(pressure("high 1\nmax 2\noom 1", isShort: true) == .warning)
        #expect(pressure("high 2\nmax 900\noom 1", isShort: false) == nil)
        #expect(pressure("high 1\nmax 1\noom 2", isShort: false) == .critical)
    }

    @Test func `page cache that fills a group is not a shortage, and written memory is`() {
        let copies = "anon 100\nfile 900\nshmem 0\nslab_unreclaimable 10\n"
        #expect(!CgroupShortage.isShort(statistics: copies, stalls: nil, limit: 1_000))
        let written = "anon 700\nfile 200\nshmem 50\nslab_unreclaimable 40\npagetables 5\nkernel_stack 5\n"
        #expect(CgroupShortage.heldByteCount(parsing: written) == 800)
        #expect(CgroupShortage.isShort(statistics: written, stalls: nil, limit: 1_000))
        #expect(!CgroupShortage.isShort(statistics: written, stalls: nil, limit: 1_001))
        #expect(!CgroupShortage.isShort(statistics: written, stalls: nil, limit: nil))
        #expect(!CgroupShortage.isShort(statistics: nil, stalls: nil, limit: 1_000))
    }

    @Test func `memory stalls in the last ten seconds are a shortage`() {
        func isShort(_ stalls: String) -> Bool {
            CgroupShortage.isShort(statistics: nil, stalls: stalls, limit: nil)
        }
        #expect(
            isShort(
                "some avg10=7.50 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0 avg300=0 total=0"
            )
        )
        #expect(!isShort("some avg10=7.49 avg60=99.00 avg300=99.00 total=9\nfull avg10=99.00 avg60=0.00"))
        #expect(!isShort("") && !isShort("some avg10=x"))
    }

    @Test(arguments: ["anon -5\nshmem x\nodd\n", ""])
    func `invalid statistics count as zero bytes`(text: String) {
        #expect(CgroupShortage.heldByteCount(parsing: text) == 0)
    }

    @Test func `statistics beyond any machine do not overflow`() {
        #expect(CgroupShortage.heldByteCount(parsing: "anon \(Int.max)\nshmem \(Int.max)") == .max)
    }

    @Test func `the innermost group with a limit counts, and without one the machine`() {
        let groups = ControlGroups(
            membership: "0::/pod/app\n",
            mounts: "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        )
        func files(_ texts: [String: String]) -> MemoryPressureFiles {
            MemoryPressureFiles(groups: groups) { texts[$0] }
        }
        let machine = files(["/sys/fs/cgroup/pod/app/memory.max": "max\n"])
        #expect(machine.stalls == "/proc/pressure/memory" && !machine.isLimited)
        #expect(machine.eventFolders.first == "/sys/fs/cgroup/pod/app")
        let outer = files(["/sys/fs/cgroup/pod/memory.max": "512\n"])
        #expect(outer.stalls == "/sys/fs/cgroup/pod/memory.pressure" && outer.isLimited)
        #expect(outer.eventFolders == ["/sys/fs/cgroup/pod"])
        let own = files([
            "/sys/fs/cgroup/pod/memory.max": "512\n", "/sys/fs/cgroup/pod/app/memory.high": "256\n",
        ])
        #expect(own.stalls == "/sys/fs/cgroup/pod/app/memory.pressure")
    }

    @Test
    func
        `of each kind of pressure one event in ten seconds passes, and critical at any time after a warning`()
    {
        var rate = MemoryPressureRate()
        func passes(_ pressure: MemoryPressure, _ seconds: Int) -> Bool {
            rate.passes(pressure, at: .seconds(seconds))
        }
        #expect(passes(.warning, 0))
        #expect(!passes(.warning, 9))
        #expect(passes(.critical, 9))
        #expect(!passes(.warning, 10) && !passes(.critical, 18))
        #expect(passes(.critical, 19))
        #expect(!passes(.warning, 28))
        #expect(passes(.warning, 29))
    }
}
