import TestSupport
import Testing

@testable import CalotypeSupport

@Suite(.gated) struct ProcessorsTests {
    private static let none = ControlGroups(membership: "", mounts: "")

    private func count(
        online: Int = 64,
        allowed: Int = 64,
        _ groups: ControlGroups = ProcessorsTests.none,
        _ texts: [String: String] = [:]
    ) -> Int {
        Processors.count(online: online, allowed: allowed, groups: groups) { texts[$0] }
    }

    @Test func `the count is the minimum of online and allowed processors, and at least one`() {
        #expect(count(online: 64, allowed: 3) == 3)
        #expect(count(online: 2, allowed: 64) == 2)
        #expect(count(online: 8, allowed: 0) == 8)
        #expect(count(online: -1, allowed: 0) == 1)
    }

    @Test func `the quota of a v2 group and of its ancestors is rounded up`() {
        let groups = ControlGroups(
            membership: "0::/pod/app\n",
            mounts: "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        )
        #expect(count(groups, ["/sys/fs/cgroup/pod/app/cpu.max": "max 100000\n"]) == 64)
        #expect(count(groups, ["/sys/fs/cgroup/pod/app/cpu.max": "150000 100000\n"]) == 2)
        let both = [
            "/sys/fs/cgroup/pod/app/cpu.max": "800000 100000\n",
            "/sys/fs/cgroup/pod/cpu.max": "50000 100000\n",
        ]
        #expect(count(groups, both) == 1)
    }

    @Test func `the quota of a v1 group applies, and a group without one is not limited`() {
        let groups = ControlGroups(
            membership: "4:memory:/other\n3:cpu,cpuacct:/app\n0::/\n",
            mounts: "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        )
        let folder = "/sys/fs/cgroup/cpu/app/"
        let limited = [folder + "cpu.cfs_quota_us": "250000\n", folder + "cpu.cfs_period_us": "100000\n"]
        #expect(count(groups, limited) == 3)
        let free = [folder + "cpu.cfs_quota_us": "-1\n", folder + "cpu.cfs_period_us": "100000\n"]
        #expect(count(groups, free) == 64)
        #expect(count(groups, [folder + "cpu.cfs_quota_us": "250000\n"]) == 64)
    }

    @Test(arguments: ["", "100000", "0 100000", "5 0", "-1 100000", "x y", "1 2 3"])
    func `an invalid quota does not limit`(text: String) {
        #expect(Processors.granted(parsing: text) == nil)
    }

    @Test func `a huge quota does not overflow`() {
        #expect(Processors.granted(parsing: "\(Int.max) 1") == .max)
    }

    @Test func `this process may use at least one processor`() {
        #expect(BlockingPool.coreCount >= 1)
    }
}
