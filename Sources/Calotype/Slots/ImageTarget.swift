/// Something that shows images: a view, a widget, a cell of a terminal.
///
/// Any class can be one, whatever it is isolated to: the main actor, another global actor, or the actor that
/// keeps it. It is told in the isolation that ``ImageSlot/load(_:into:placeholder:replacing:isolation:)`` is
/// called in, so a method of a view may touch the view. An actor conforms to ``ActorImageTarget`` instead.
public protocol ImageTarget: AnyObject {
    /// Shows what stands in a slot now, in place of what stood there.
    ///
    /// `content.image` is what to draw, in every case. Called within `load(_:into:)` for a placeholder and
    /// for an image that is in memory.
    ///
    /// - Parameters:
    ///   - content: What stands in the slot.
    ///   - slot: Which one; a target with one slot has no need to look.
    func show(_ content: SlotContent, in slot: ImageSlot)

    /// Is told how far a load has come; does nothing unless implemented.
    ///
    /// - Parameters:
    ///   - progress: The bytes so far; at a bounded rate.
    ///   - slot: Which slot loads.
    func report(_ progress: LoadProgress, in slot: ImageSlot)
}

extension ImageTarget {
    /// Does nothing.
    public func report(_ progress: LoadProgress, in slot: ImageSlot) {}
}

/// An actor that shows images; its methods are called on the actor.
public protocol ActorImageTarget: Actor {
    /// Shows what stands in a slot now, in place of what stood there.
    ///
    /// - Parameters:
    ///   - content: What stands in the slot; `content.image` is what to draw.
    ///   - slot: Which one; a target with one slot has no need to look.
    func show(_ content: SlotContent, in slot: ImageSlot)

    /// Is told how far a load has come; does nothing unless implemented.
    ///
    /// - Parameters:
    ///   - progress: The bytes so far; at a bounded rate.
    ///   - slot: Which slot loads.
    func report(_ progress: LoadProgress, in slot: ImageSlot)
}

extension ActorImageTarget {
    /// Does nothing.
    public func report(_ progress: LoadProgress, in slot: ImageSlot) {}
}

/// A target that is held weakly, whatever its isolation.
struct SlotOutlet {
    /// Which target it is.
    let identity: SlotTargetIdentity

    /// Shows a content that has been claimed with a number; `false` where the target has gone.
    let show: (SlotContent, ImageSlot, Int) -> Bool

    /// Reports a progress; `false` where the target has gone.
    let report: (LoadProgress, ImageSlot) -> Bool

    init(_ target: some ImageTarget) {
        identity = SlotTargetIdentity(target)
        show = { [weak target] content, slot, _ in
            guard let target else { return false }
            target.show(content, in: slot)
            return true
        }
        report = { [weak target] progress, slot in
            guard let target else { return false }
            target.report(progress, in: slot)
            return true
        }
    }

    /// A target that may be told on any thread.
    init(shared target: some ImageTarget & Sendable) {
        identity = SlotTargetIdentity(target)
        show = { [weak target] content, slot, number in
            guard target != nil else { return false }
            slot.turn.run(number) { [weak target] in target?.show(content, in: slot) }
            return true
        }
        report = { [weak target] progress, slot in
            guard let target else { return false }
            target.report(progress, in: slot)
            return true
        }
    }

    init<Target: ActorImageTarget>(isolated target: Target) {
        identity = SlotTargetIdentity(target)
        // Called in the isolation of the load, which is the actor itself.
        show = { [weak target] content, slot, _ in
            guard let target else { return false }
            target.assumeIsolated { $0.show(content, in: slot) }
            return true
        }
        report = { [weak target] progress, slot in
            guard let target else { return false }
            target.assumeIsolated { $0.report(progress, in: slot) }
            return true
        }
    }
}

// Unchecked because the target may belong to any isolation; nothing but which object it is is ever asked.
/// Which object a target is, as long as it lives: an address alone may be another's by then.
struct SlotTargetIdentity: @unchecked Sendable {
    private weak var target: AnyObject?

    init(_ target: AnyObject) {
        self.target = target
    }

    /// Whether both are the same object, and it lives.
    func isSame(as other: SlotTargetIdentity) -> Bool {
        guard let target else { return false }
        return target === other.target
    }
}
