import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The programs that are registered for URL schemes, by the MIME Applications Specification 1.0.1.
///
/// Daybook looks them up itself: `xdg-open` and the programs that it calls take any text, and make
/// a web address of one that they do not understand.
/// https://specifications.freedesktop.org/mime-apps-spec/1.0.1/
struct SchemeHandlers {
    /// The folders that may have lists of choices, the most important first.
    private let folders: [String]
    /// The folders of desktop entries, which are the last of `folders`.
    private let applications: [String]
    /// The names of a folder's lists, in order: those for the running desktops come first.
    private let lists: [String]

    /// Why no program is started for a URL.
    struct Refusal: Error {
        /// One sentence without a period, in lower case.
        let reason: String
    }

    /// The programs of the current user and desktop.
    init() {
        func folders(_ user: UserFolder, _ variable: String, or usual: String) -> [String] {
            let value = EnvironmentVariables.value(variable) ?? ""
            let others = (value.isEmpty ? usual : value).split(separator: ":")
            return (user.path.map { [$0] } ?? [])
                + others.filter { $0.hasPrefix("/") }.map { String($0) }
        }
        applications = folders(.data, "XDG_DATA_DIRS", or: "/usr/local/share:/usr/share")
            .map { "\($0)/applications" }
        self.folders = folders(.config, "XDG_CONFIG_DIRS", or: "/etc/xdg") + applications
        lists = Self.desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
    }

    /// The names of the running desktops in lower case, such as `kde`.
    static var desktops: [String] {
        (EnvironmentVariables.value("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":")
            .map { $0.lowercased() }.filter { !$0.contains("/") }
    }

    /// The entry of the program for a scheme, which is in lower case.
    ///
    /// - Throws: `Refusal` if no program that is there is registered for it.
    func entry(for scheme: String) throws -> HandlerEntry { try choice(for: scheme).entry }

    /// The entry of the program for a scheme, and the list that chooses it, if one does.
    ///
    /// - Throws: as `entry(for:)`.
    func choice(for scheme: String) throws -> (entry: HandlerEntry, list: String?) {
        let type = DesktopEntry.type(scheme)
        let choices = try choices(for: type)
        var missing: String?
        let defaults = choices.defaults.filter { choices.associated.contains($0.id) }
        for (id, list) in defaults + choices.associated.map({ ($0, nil) }) {
            do throws(Refusal) {
                let entry = try HandlerEntry(id, in: applications)
                // An entry that is only a default, or that a cache names, must name the type.
                if entry.names(type) || choices.added.contains(id) { return (entry, list) }
            } catch {
                missing = missing ?? error.reason
            }
        }
        throw Refusal(
            reason: "no program is registered for \(scheme):" + (missing.map { " (\($0))" } ?? ""))
    }

    /// The handlers of a type, by all lists and entries.
    private struct Choices {
        /// The programs that lists prefer, in order, and the lists.
        var defaults: [(id: String, list: String?)] = []
        /// The programs that can open the type, in order, and that no list has removed before.
        var associated: [String] = []
        /// Those among them for which a list, not their entry, says so.
        var added: Set<String> = []
        fileprivate var removed: Set<String> = []
    }

    private func choices(for type: String) throws -> Choices {
        var choices = Choices()
        for folder in folders {
            for name in lists {
                let path = "\(folder)/\(name)"
                guard let text = try DesktopFile.text(path) else { continue }
                let list = DesktopFile(text)
                choices.defaults += list.programs(for: type, in: .defaults)
                    .filter { !choices.removed.contains($0) }.map { ($0, path) }
                // A list for one desktop neither adds nor removes associations.
                guard name == lists.last else { continue }
                let added = list.programs(for: type, in: .added)
                    .filter { !choices.removed.contains($0) }
                choices.associated += added
                choices.added.formUnion(added)
                choices.removed.formUnion(list.programs(for: type, in: .removed))
            }
            guard applications.contains(folder) else { continue }
            choices.associated += registered(for: type, in: folder)
                .filter { !choices.removed.contains($0) }
        }
        return choices
    }

    /// The entries of a folder that name a type, by its cache, or by themselves without one.
    private func registered(for type: String, in folder: String) -> [String] {
        if let cache = try? DesktopFile.text("\(folder)/mimeinfo.cache") {
            return DesktopFile(cache).programs(for: type, in: .cache)
        }
        let names = ((try? Files.list(folder)) ?? []).filter { $0.hasSuffix(".desktop") }.sorted()
        return names.filter { name in
            // A file that can't be read is no entry.
            guard let text = try? DesktopFile.text("\(folder)/\(name)") else { return false }
            return HandlerEntry.types(DesktopFile(text)).contains(type)
        }
    }
}

/// A desktop entry of a program that can be started with a URL.
struct HandlerEntry {
    /// The name that lists know the entry by.
    let id: String
    private let path: String
    private let file: DesktopFile

    /// Finds an entry by its id in the folders of entries, of which the first that has it counts.
    init(_ id: String, in folders: [String]) throws(SchemeHandlers.Refusal) {
        func refusal(_ reason: String) -> SchemeHandlers.Refusal {
            SchemeHandlers.Refusal(reason: "\(CommandFailure.quoted(id)) \(reason)")
        }
        let found = folders.lazy.flatMap { folder in Self.names(of: id).map { "\(folder)/\($0)" } }
            .first { (try? Files.exists($0)) == true }
        guard let found, let text = try? DesktopFile.text(found) else {
            throw refusal("is not there")
        }
        let file = DesktopFile(text)
        guard file.value("Type", in: .entry) == "Application",
            file.value("Hidden", in: .entry) != "true"
        else { throw refusal("is no application") }
        if let program = file.value("TryExec", in: .entry), !program.isEmpty,
            ExternalProgram(word: program) == nil
        {
            throw refusal("is not installed")
        }
        (self.id, path, self.file) = (id, found, file)
        // Whether its line can be followed is another question, which `start` answers.
        if let program = try? line(for: "x:").first, ExternalProgram(word: program) == nil {
            throw refusal("names a program that is missing")
        }
    }

    /// Whether the entry says that its program opens a type.
    func names(_ type: String) -> Bool { Self.types(file).contains(type) }

    /// The types that an entry names.
    static func types(_ file: DesktopFile) -> [String] {
        file.value("MimeType", in: .entry).map(DesktopFile.items) ?? []
    }

    /// Starts the program with a URL as one argument; returns whether the program took it.
    ///
    /// It did unless it ends with another status than 0 within a few seconds. One that shows a
    /// window goes on for as long as it is used.
    func start(with url: String) async throws -> Bool {
        if file.value("Terminal", in: .entry) == "true" {
            // Some terminals pass the words that they are given to a shell.
            throw refusal("runs in a terminal only")
        }
        let words = try line(for: url)
        guard let program = words.first.flatMap({ ExternalProgram(word: $0) }) else {
            throw refusal("names a program that is missing")
        }
        let folder = file.value("Path", in: .entry).flatMap { $0.isEmpty ? nil : $0 }
        let started = try program.start(Array(words.dropFirst()), in: folder)
        return await started.status(within: .seconds(5)) ?? 0 == 0
    }

    private func line(for url: String) throws(SchemeHandlers.Refusal) -> [String] {
        guard let value = file.value("Exec", in: .entry), !value.isEmpty else {
            // A program that only D-Bus starts need not have the line.
            throw refusal("has no command line, as programs that D-Bus starts may have none")
        }
        let line = ExecLine(
            url: url, name: file.value("Name", in: .entry) ?? "",
            icon: file.value("Icon", in: .entry) ?? "", path: path)
        do throws(ExecLine.Fault) {
            return try line.words(of: value)
        } catch {
            throw refusal("has a command line that can't be followed: \(error.reason)")
        }
    }

    private func refusal(_ reason: String) -> SchemeHandlers.Refusal {
        SchemeHandlers.Refusal(reason: "\(CommandFailure.quoted(id)) \(reason)")
    }

    /// The files that may have an id: each hyphen may stand for a folder.
    private static func names(of id: String) -> [String] {
        if id.contains("/") || !id.hasSuffix(".desktop") { return [] }
        var names = [id]
        var name = id
        while let hyphen = name.firstIndex(of: "-"), names.count < 8 {
            name.replaceSubrange(hyphen...hyphen, with: "/")
            names.append(name)
        }
        return names
    }
}
