/// An object that shows images: a view, a widget, a cell of a terminal.
///
/// Any class can conform, whatever its isolation: the main actor, another global actor, or the actor that
/// owns it. Its methods are called in the isolation that
/// ``ImageSlot/load(_:into:placeholder:replacing:isolation:)`` was called in, so a method of a view may use
/// the view. An actor conforms to ``ActorImageTarget`` instead.
public protocol ImageTarget: AnyObject {
    /// Shows the current content of a slot, in place of the previous one.
    ///
    /// `content.image` is the image to draw, in every case. Called within `load(_:into:)` for a placeholder
    /// and for an image in memory.
    ///
    /// - Parameters:
    ///   - content: The content of the slot.
    ///   - slot: The slot; a target with one slot can ignore it.
    func show(_ content: SlotContent, in slot: ImageSlot)

    /// Receives the progress of a load; does nothing unless implemented.
    ///
    /// - Parameters:
    ///   - progress: The bytes so far; reported at a limited rate.
    ///   - slot: The slot that loads.
    func report(_ progress: LoadProgress, in slot: ImageSlot)
}

extension ImageTarget {
    /// Does nothing.
    public func report(_ progress: LoadProgress, in slot: ImageSlot) {}
}

/// An actor that shows images; its methods are called on the actor.
public protocol ActorImageTarget: Actor {
    /// Shows the current content of a slot, in place of the previous one.
    ///
    /// - Parameters:
    ///   - content: The content of the slot; `content.image` is the image to draw.
    ///   - slot: The slot; a target with one slot can ignore it.
    func show(_ content: SlotContent, in slot: ImageSlot)

    /// Receives the progress of a load; does nothing unless implemented.
    ///
    /// - Parameters:
    ///   - progress: The bytes so far; reported at a limited rate.
    ///   - slot: The slot that loads.
    func report(_ progress: LoadProgress, in slot: ImageSlot)
}

extension ActorImageTarget {
    /// Does nothing.
    public func report(_ progress: LoadProgress, in slot: ImageSlot) {}
}

/// A weakly referenced target, whatever its isolation.
struct SlotOutlet {
    let identity: SlotTargetIdentity

    /// Shows content that was claimed with a number; returns false if the target was released.
    let show: (SlotContent, ImageSlot, Int) -> Bool

    /// Reports progress; returns false if the target was released.
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

    /// Creates an outlet for a target that may be called on any thread.
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

// Unchecked because the target may belong to any isolation; only its object identity is ever used.
/// The identity of a target while it lives: an address alone may be reused.
struct SlotTargetIdentity: @unchecked Sendable {
    private weak var target: AnyObject?

    init(_ target: AnyObject) {
        self.target = target
    }

    /// True if both are the same object, and it lives.
    func isSame(as other: SlotTargetIdentity) -> Bool {
        guard let target else { return false }
        return target === other.target
    }
}
