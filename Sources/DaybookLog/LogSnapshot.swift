/// The log as it was at one moment; used only inside the closure that it is given to.
package struct LogSnapshot: LogReading {
    package let content: LogContent
    /// How many events there are: the position of the next one.
    package var count: UInt64 { content.count }
    /// The last event's time; 0 if there is none.
    package var lastTime: UInt64 { content.lastTime }
    /// What was wrong with derived tables that were given up.
    package var derivedFault: LogFault? { content.derived.fault }
    /// The streams' heads by name, as `StreamHead` has them; setting one fails the read.
    package var streamRows: LayeredRows { content.derived.streams }
}
