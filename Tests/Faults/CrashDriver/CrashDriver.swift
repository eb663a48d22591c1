internal import Daybook
internal import DaybookEncoding
internal import DaybookSystem

/// The program whose writes `tools/dev crash-states` records, and which opens the disk states.
///
///     CrashDriver workloads                 prints the names of the workloads, a line each
///     CrashDriver prepare WORKLOAD SCENE    lays out what a disk holds before
///     CrashDriver run WORKLOAD SCENE        works; says each promise as soon as it is given
///     CrashDriver check WORKLOAD SCENE      SCENE is how it ended; reads states, a line each
///
/// A scene is a folder that stands for a disk; the store lies in it under `store`. A state is the
/// path of another such folder, the promises given before the power was cut, `|`, and those that
/// came later, with tabs between them. Each is answered by a line: `ok`, or what is wrong.
@main
struct CrashDriver {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            if words == ["workloads"] {
                let names = Workload.allCases.map { $0.rawValue + "\n" }
                return try StandardStreams.write(names.joined(), to: .output)
            }
            guard words.count == 3, let workload = Workload(rawValue: words[1]) else {
                throw Misuse()
            }
            let scene = DiskFolder(words[2])
            switch words[0] {
            case "prepare": try await workload.prepare(scene)
            case "run": try await workload.run(scene)
            case "check": try await check(workload, scene)
            default: throw Misuse()
            }
        } catch {
            try? StandardStreams.write("\(words): \(error)\n", to: .error)
            Process.exit(1)
        }
    }

    private static func check(_ workload: Workload, _ end: DiskFolder) async throws {
        let check = try StateCheck(workload, end: end)
        while let line = try StandardStreams.readLine(limit: 1 << 20) {
            let text = String(decoding: line, as: UTF8.self)
            let parts = text.split(separator: "\t").map(String.init)
            let before = parts.dropFirst().prefix { $0 != "|" }
            let later = parts.dropFirst(before.count + 2)
            let given = Promises(given: Array(before), later: Array(later))
            var answer = "ok"
            do {
                try await check.run(DiskFolder(parts[0]), given)
            } catch {
                answer = "\(error)".replacing("\n", with: " ")
            }
            try StandardStreams.write(answer + "\n", to: .output)
        }
    }
}

struct Misuse: Error {}
