import CalotypeSupport
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct MemoryCapacityTests {
    private static let unifiedMounts = """
        24 1 0:20 / / rw - ext4 /dev/vda rw
        30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
        """

    @Test func `a v2 group is limited by its ancestors`() {
        let groups = ControlGroups(membership: "0::/system.slice/app.service\n", mounts: Self.unifiedMounts)
        #expect(
            groups.limitFiles == [
                "/sys/fs/cgroup/system.slice/app.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        )
        let texts = [
            "/sys/fs/cgroup/system.slice/app.service/memory.max": "max\n",
            "/sys/fs/cgroup/system.slice/memory.max": "1073741824\n",
        ]
        let count = MainMemory.byteCount(physical: 8 << 30, groups: groups) { texts[$0] }
        #expect(count == 1 << 30)
    }

    @Test func `a container sees its group as the root of the mount`() {
        let groups = ControlGroups(
            membership: "0::/docker/0a1b\n",
            mounts: "30 23 0:26 /docker/0a1b /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
        )
        #expect(groups.limitFiles == ["/sys/fs/cgroup/memory.max"])
        let foreign = ControlGroups(
            membership: "0::/../other\n",
            mounts: "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
        )
        #expect(foreign.limitFiles == ["/sys/fs/cgroup/memory.max"])
    }

    @Test func `a v1 group has its limit beside other controllers and without one is capped by the machine`()
    {
        let groups = ControlGroups(
            membership: "9:name=systemd:/\n4:cpu,memory:/app\n0::/\n",
            mounts: """
                31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
                32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
                35 31 0:32 / /sys/fs/cgroup/mem\\040ory rw shared:4 master:1 - cgroup cgroup rw,cpu,memory
                """
        )
        #expect(
            groups.limitFiles == [
                "/sys/fs/cgroup/mem ory/app/memory.limit_in_bytes",
                "/sys/fs/cgroup/mem ory/memory.limit_in_bytes",
            ]
        )
        let count = MainMemory.byteCount(physical: 8 << 30, groups: groups) { _ in "9223372036854771712\n"
        }
        #expect(count == 8 << 30)
    }

    @Test(arguments: ["", "garbage", "0:", "4:memory", "30 23 - -", "1 2 3 4 5 6 - a", "a - b - c"])
    func `an invalid list of groups gives no groups`(text: String) {
        let groups = ControlGroups(membership: text, mounts: text)
        #expect(groups.limitFiles.isEmpty)
    }

    @Test func `parsing an invalid limit returns nil`() {
        #expect(ControlGroups.limit(parsing: "max\n") == nil)
        #expect(ControlGroups.limit(parsing: "4096\n") == 4096)
        #expect(ControlGroups.limit(parsing: "99999999999999999999999\n") == nil)
        #expect(ControlGroups.limit(parsing: "") == nil)
    }

    @Test func `the default limit is 15 percent up to a bound`() {
        #expect(MemoryCapacity.defaultCostLimit(byteCount: 1_000_000_000) == 150_000_000)
        #expect(MemoryCapacity.defaultCostLimit(byteCount: 64 << 30) == 768 << 20)
        #expect(MemoryCapacity.byteCount > 1 << 20)
    }
}
