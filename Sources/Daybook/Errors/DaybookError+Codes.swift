// The codes of failures, which nothing records.

// MARK: - The store and its log

extension DaybookError.Code {
    /// There is no store in the folder.
    public static let storeMissing = Self("storeMissing")
    /// There is a store in the folder already.
    public static let storeExists = Self("storeExists")
    /// The creation of the store was interrupted: repeat it.
    public static let storeHalfCreated = Self("storeHalfCreated")
    /// A newer program made the store or wrote to it.
    public static let storeTooNew = Self("storeTooNew")
    /// A development version before 1.0 wrote the store, the file or the database.
    public static let developmentVersion = Self("developmentVersion")
    /// An older program made the store: migrate it.
    public static let storeNeedsMigration = Self("storeNeedsMigration")
    /// The log holds what no program of ours wrote.
    public static let storeDamaged = Self("storeDamaged")
    /// The store belongs to another user.
    public static let storeNotOwned = Self("storeNotOwned")
    /// The store is on a disk that can only be read.
    public static let storeReadOnly = Self("storeReadOnly")
    /// This process has the store open already.
    public static let storeAlreadyOpen = Self("storeAlreadyOpen")
    /// Another container has the store open by a process with this process's number.
    public static let storeInOtherContainer = Self("storeInOtherContainer")
    /// An earlier failure of the disk has closed the store.
    public static let storePoisoned = Self("storePoisoned")
    /// Others may use a file with a secret.
    public static let fileExposed = Self("fileExposed")
    /// The system does not let this user at a file.
    public static let permissionDenied = Self("permissionDenied")
    /// The disk is full.
    public static let diskFull = Self("diskFull")
    /// The disk failed to read or write.
    public static let deviceFailed = Self("deviceFailed")
    /// The system has too many open files.
    public static let tooManyFiles = Self("tooManyFiles")
    /// Too many programs read the store at once.
    public static let tooManyReaders = Self("tooManyReaders")
    /// There is too little memory.
    public static let outOfMemory = Self("outOfMemory")
    /// The system refused for a reason without a code of its own.
    public static let systemError = Self("systemError")
    /// The storage failed for a reason without a code of its own.
    public static let storageError = Self("storageError")
    /// An error without a code of its own.
    public static let failed = Self("failed")
    /// An event would be larger than the log allows.
    public static let tooLarge = Self("tooLarge")
    /// The system gave no random bytes.
    public static let entropyFailed = Self("entropyFailed")
    /// The clock is more than 90 days from the last event.
    public static let clockJumped = Self("clockJumped")
    /// The store's settings can't be read.
    public static let settingsInvalid = Self("settingsInvalid")
    /// The folder is not empty.
    public static let folderNotEmpty = Self("folderNotEmpty")
    /// There is a file of that name already.
    public static let fileExists = Self("fileExists")
    /// An archive lacks a segment, or has segments of several logs.
    public static let archiveDamaged = Self("archiveDamaged")
    /// A segment with archived events of the log is not in the archive's folder.
    public static let segmentMissing = Self("segmentMissing")
    /// A segment does not have the events that the log had.
    public static let segmentChanged = Self("segmentChanged")
    /// A file can't be read.
    public static let unreadableFile = Self("unreadableFile")
}

// MARK: - A log in a database

extension DaybookError.Code {
    /// Another machine writes to the log: take it over, or use that machine.
    public static let storeFenced = Self("storeFenced")
    /// The address of the database is wrong, or has a password in it.
    public static let databaseURLInvalid = Self("databaseURLInvalid")
    /// No database server answers.
    public static let databaseUnreachable = Self("databaseUnreachable")
    /// The database server did not answer in time.
    public static let databaseTimeout = Self("databaseTimeout")
    /// The database server has no connection or memory left.
    public static let databaseBusy = Self("databaseBusy")
    /// Other transactions came in the way, time and again.
    public static let databaseConflict = Self("databaseConflict")
    /// The database server does not let the user in.
    public static let databaseLoginRefused = Self("databaseLoginRefused")
    /// The server has no database of that name.
    public static let databaseMissing = Self("databaseMissing")
    /// A pooler in front of the database server does not let through what is needed.
    public static let databasePooler = Self("databasePooler")
    /// The encrypted connection that is demanded is not made.
    public static let databaseTLS = Self("databaseTLS")
    /// The database server is older than the oldest one that is supported.
    public static let databaseTooOld = Self("databaseTooOld")
    /// The database is a standby, or only lets its clients read.
    public static let databaseReadOnly = Self("databaseReadOnly")
    /// The database may lose what it acknowledged.
    public static let databaseNotDurable = Self("databaseNotDurable")
    /// The user lacks a right in the database.
    public static let databaseNotPermitted = Self("databaseNotPermitted")
    /// The disk of the database server is full.
    public static let databaseFull = Self("databaseFull")
    /// The database has no tables of ours, or those of an older program.
    public static let databaseUnprepared = Self("databaseUnprepared")
    /// A newer program made the tables of the database.
    public static let databaseTooNew = Self("databaseTooNew")
    /// Tables are missing in the database, or are not ours.
    public static let databaseHalfMade = Self("databaseHalfMade")
    /// The log in the database has another id than the one that is imported.
    public static let databaseLogDiffers = Self("databaseLogDiffers")
    /// All logs that a server may have open are in use.
    public static let tooManyLogs = Self("tooManyLogs")
    /// The database refused something else.
    public static let databaseFailed = Self("databaseFailed")
}

// MARK: - Wallets, keys and passphrases

extension DaybookError.Code {
    /// There is no such wallet.
    public static let unknownWallet = Self("unknownWallet")
    /// No wallet has the coin.
    public static let unknownCoin = Self("unknownCoin")
    /// Wallets of several chains have the coin: name one of them.
    public static let ambiguousCoin = Self("ambiguousCoin")
    /// More coins are named than a prompt shows, or than are frozen at once.
    public static let tooManyCoins = Self("tooManyCoins")
    /// A balance on ICON does not consist of coins.
    public static let noCoins = Self("noCoins")
    /// The store has a wallet with these keys already.
    public static let walletExists = Self("walletExists")
    /// A transaction of the wallet is in flight.
    public static let walletBusy = Self("walletBusy")
    /// The wallet's key is on another machine.
    public static let watchOnly = Self("watchOnly")
    /// The passphrase is wrong.
    public static let wrongPassphrase = Self("wrongPassphrase")
    /// A passphrase is needed.
    public static let passphraseMissing = Self("passphraseMissing")
    /// The passphrase is empty.
    public static let passphraseEmpty = Self("passphraseEmpty")
    /// Nobody can type the new passphrase: it has a line break, or is not in UTF-8.
    public static let passphraseUntypable = Self("passphraseUntypable")
    /// The passphrase has fewer than eight characters.
    public static let passphraseWeak = Self("passphraseWeak")
    /// Too many wrong passphrases: the wallet is locked for a while.
    public static let lockedOut = Self("lockedOut")
    /// The wallet was locked while it was being unlocked.
    public static let unlockOvertaken = Self("unlockOvertaken")
    /// The sealed key of the wallet is missing.
    public static let keyMissing = Self("keyMissing")
    /// The sealed key of the wallet is damaged.
    public static let keyDamaged = Self("keyDamaged")
    /// The recorded keys of the wallet are not the sealed ones.
    public static let keyMismatch = Self("keyMismatch")
    /// The words are no mnemonic.
    public static let invalidMnemonic = Self("invalidMnemonic")
    /// The private or public key is invalid.
    public static let invalidKey = Self("invalidKey")
    /// The file is no keystore file of ICON.
    public static let invalidKeystore = Self("invalidKeystore")
    /// The key is for an uncompressed public key.
    public static let uncompressedKey = Self("uncompressedKey")
    /// The key or wallet is of another chain.
    public static let wrongChain = Self("wrongChain")
    /// A wallet can't be made of these parameters.
    public static let invalidWallet = Self("invalidWallet")
}

// MARK: - Labels and prices

extension DaybookError.Code {
    /// The text names no thing that can have a label.
    public static let invalidLabel = Self("invalidLabel")
    /// The label has more bytes than it can have.
    public static let labelTooLong = Self("labelTooLong")
    /// A period ends before it begins, or when it begins.
    public static let invalidPeriod = Self("invalidPeriod")
    /// A line of a file of labels can't be read.
    public static let invalidLabelFile = Self("invalidLabelFile")
    /// The text is no price: a decimal number above zero.
    public static let invalidPrice = Self("invalidPrice")
    /// The text is no currency: three letters.
    public static let invalidCurrency = Self("invalidCurrency")
    /// The store has no such asset.
    public static let unknownAsset = Self("unknownAsset")
    /// Several tokens have the symbol: name a contract.
    public static let ambiguousAsset = Self("ambiguousAsset")
    /// Another price is known for the same asset, currency and time.
    public static let priceConflict = Self("priceConflict")
    /// No price is recorded for this asset, currency and moment.
    public static let unknownPrice = Self("unknownPrice")
    /// The table of prices can't be read.
    public static let invalidPriceFile = Self("invalidPriceFile")
    /// The file is larger than one that is taken in.
    public static let fileTooLarge = Self("fileTooLarge")
}

// MARK: - Requests and signing

extension DaybookError.Code {
    /// The front end's key was used for another text.
    public static let keyConflict = Self("keyConflict")
    /// The request's transaction is being sent.
    public static let sending = Self("sending")
    /// The request has no callback.
    public static let unknownCallback = Self("unknownCallback")
    /// The signer found other terms than those that were shown.
    public static let signingRefused = Self("signingRefused")
    /// The request asks for no transaction.
    public static let nothingToSign = Self("nothingToSign")
    /// The file is no signing request.
    public static let notASigningRequest = Self("notASigningRequest")
    /// The signed transaction is not the one that the approval makes now.
    public static let signedDiffers = Self("signedDiffers")
    /// The file has no valid signature.
    public static let notSigned = Self("notSigned")
    /// The file is no longer what was shown.
    public static let termsChanged = Self("termsChanged")
}

// MARK: - Parameters of calls

extension DaybookError.Code {
    /// A name is empty or longer than 128 bytes.
    public static let invalidName = Self("invalidName")
    /// A time is out of its range.
    public static let invalidTime = Self("invalidTime")
    /// A count is out of its range.
    public static let invalidCount = Self("invalidCount")
    /// An interval is out of its range.
    public static let invalidInterval = Self("invalidInterval")
    /// A node's user or password is invalid.
    public static let invalidLogin = Self("invalidLogin")
    /// A node can't be set with these parameters.
    public static let invalidNode = Self("invalidNode")
    /// The address of a node is invalid.
    public static let invalidNodeURL = Self("invalidNodeURL")
    /// The address of a node's proxy is invalid.
    public static let invalidProxy = Self("invalidProxy")
    /// The range of events is empty or beyond the log.
    public static let invalidRange = Self("invalidRange")
    /// The log has no such event.
    public static let unknownPosition = Self("unknownPosition")
    /// No node with this address is set.
    public static let unknownNode = Self("unknownNode")
    /// The wallet is not on an embedded chain.
    public static let notSandbox = Self("notSandbox")
}

// MARK: - Exports, backups and checkpoints

extension DaybookError.Code {
    /// The file is no export.
    public static let notAnExport = Self("notAnExport")
    /// A newer program wrote the export.
    public static let exportTooNew = Self("exportTooNew")
    /// The export is damaged.
    public static let exportDamaged = Self("exportDamaged")
    /// The export changed while it was read.
    public static let exportChanged = Self("exportChanged")
    /// The export holds a part of a log only.
    public static let exportPartial = Self("exportPartial")
    /// The file has no known format.
    public static let unknownFormat = Self("unknownFormat")
    /// The imported events don't follow from their inputs.
    public static let importDiverges = Self("importDiverges")
    /// The imported events are later than the clock.
    public static let importFromFuture = Self("importFromFuture")
    /// The two logs differ from a position on.
    public static let fork = Self("fork")
    /// The file is of another log.
    public static let otherLog = Self("otherLog")
    /// An event does not fit the log.
    public static let eventInvalid = Self("eventInvalid")
    /// There is something at the place of the backup.
    public static let backupExists = Self("backupExists")
    /// A backup can not lie in the store.
    public static let backupInside = Self("backupInside")
    /// The backup differs from the store.
    public static let backupNotWhole = Self("backupNotWhole")
    /// The text is no checkpoint.
    public static let checkpointInvalid = Self("checkpointInvalid")
    /// Another key signed the checkpoint.
    public static let checkpointUnknownKey = Self("checkpointUnknownKey")
    /// The log's key is missing.
    public static let logKeyMissing = Self("logKeyMissing")
    /// The log's key is damaged.
    public static let logKeyDamaged = Self("logKeyDamaged")
    /// The log's key is another one.
    public static let logKeyChanged = Self("logKeyChanged")
    /// The log is shorter than a checkpoint says.
    public static let rolledBack = Self("rolledBack")
    /// The log is not the one of a checkpoint.
    public static let forked = Self("forked")
}

// MARK: - Time stamps

extension DaybookError.Code {
    /// The log has no checkpoint yet.
    public static let checkpointMissing = Self("checkpointMissing")
    /// The address of a time stamp authority is invalid.
    public static let invalidAuthorityURL = Self("invalidAuthorityURL")
    /// The file has no certificates, or a malformed one.
    public static let invalidCertificates = Self("invalidCertificates")
    /// The time stamp authority is unreachable.
    public static let authorityUnreachable = Self("authorityUnreachable")
    /// The time stamp authority did not answer in time.
    public static let authorityNoAnswer = Self("authorityNoAnswer")
    /// The answer of the time stamp authority is invalid.
    public static let authorityAnswerInvalid = Self("authorityAnswerInvalid")
    /// The time stamp authority refuses.
    public static let authorityRefused = Self("authorityRefused")
    /// The time stamp is of something else, or was made for another request.
    public static let stampMismatch = Self("stampMismatch")
    /// The signature of the time stamp, or a certificate, is wrong, too weak or out of its time.
    public static let stampInvalid = Self("stampInvalid")
    /// The time stamp does not lead to a trusted certificate.
    public static let stampUntrusted = Self("stampUntrusted")
}

// MARK: - Problems that a verification finds

extension DaybookError.Code {
    /// LMDB or the system can't read the log.
    public static let unreadableLog = Self("unreadable")
    /// A page of the log's file is damaged.
    public static let pageWrong = Self("pageWrong")
    /// An entry of the table `meta` is wrong.
    public static let metaWrong = Self("metaWrong")
    /// An event is missing, not canonically encoded, or does not belong at its position.
    public static let eventWrong = Self("eventWrong")
    /// An entry that follows from the events is missing.
    public static let entryMissing = Self("missing")
    /// An entry does not follow from any event.
    public static let entryExtra = Self("extra")
    /// An entry has another value than the one that follows from the events.
    public static let entryWrong = Self("wrong")
    /// A checkpoint in the log is not of the events before it, or not signed.
    public static let checkpointWrong = Self("checkpointWrong")
}

// MARK: - Nodes

extension DaybookError.Code {
    /// No node of the chain is set up.
    public static let nodeMissing = Self("nodeMissing")
    /// The node is unreachable.
    public static let nodeUnreachable = Self("nodeUnreachable")
    /// There is no connection through the node's proxy.
    public static let nodeProxy = Self("nodeProxy")
    /// The node did not answer in time.
    public static let nodeNoAnswer = Self("nodeNoAnswer")
    /// The node's certificate is not trusted.
    public static let nodeCertificate = Self("nodeCertificate")
    /// The node refuses the user or password.
    public static let nodeWrongPassword = Self("nodeWrongPassword")
    /// The server has no node at this path.
    public static let nodeWrongPath = Self("nodeWrongPath")
    /// The server redirects to another address.
    public static let nodeRedirect = Self("nodeRedirect")
    /// The node is starting.
    public static let nodeWarmingUp = Self("nodeWarmingUp")
    /// The node has too many requests.
    public static let nodeBusy = Self("nodeBusy")
    /// The node does not have the whole chain yet.
    public static let nodeSyncing = Self("nodeSyncing")
    /// The node is of another chain or network.
    public static let nodeWrongChain = Self("nodeWrongChain")
    /// The node has no address index.
    public static let nodeNoAddressIndex = Self("nodeNoAddressIndex")
    /// The node has no transaction index.
    public static let nodeNoTransactionIndex = Self("nodeNoTransactionIndex")
    /// The node does not have a transaction that it named.
    public static let nodeMissingTransaction = Self("nodeMissingTransaction")
    /// The node names a spending that it can not prove.
    public static let nodeUnprovenSpend = Self("nodeUnprovenSpend")
    /// Two nodes contradict each other.
    public static let nodeContradiction = Self("nodeContradiction")
    /// The node leaves out of a list what it has.
    public static let nodeOmission = Self("nodeOmission")
    /// The node does not know a call.
    public static let nodeUnknownCall = Self("nodeUnknownCall")
    /// The answer of the node is too long.
    public static let nodeAnswerTooLong = Self("nodeAnswerTooLong")
    /// The answer of the node is invalid.
    public static let nodeAnswerInvalid = Self("nodeAnswerInvalid")
    /// The answer of the node contradicts itself.
    public static let nodeAnswerWrong = Self("nodeAnswerWrong")
    /// The chain grew faster than the node was read.
    public static let nodeTooSlow = Self("nodeTooSlow")
    /// The chain changed while the node was read.
    public static let nodeUnsettled = Self("nodeUnsettled")
    /// The node refused a call.
    public static let nodeRefused = Self("nodeRefused")
    /// Other users can read the file of the nodes' passwords.
    public static let credentialsExposed = Self("credentialsExposed")
    /// The file of the nodes' passwords is damaged.
    public static let credentialsDamaged = Self("credentialsDamaged")
}

// MARK: - What nodes say of a transaction

extension DaybookError.Code {
    /// The fee is below what the node's mempool takes now.
    public static let feeTooLow = Self("feeTooLow")
    /// The fee is below the least that the node relays.
    public static let feeBelowRelay = Self("feeBelowRelay")
    /// The node's mempool is full.
    public static let mempoolFull = Self("mempoolFull")
    /// The transaction is in a chain of too many unconfirmed ones.
    public static let tooManyUnconfirmed = Self("tooManyUnconfirmed")
    /// Another unconfirmed transaction spends the same coins.
    public static let mempoolConflict = Self("mempoolConflict")
    /// The node does not know the coins yet.
    public static let coinsUnknown = Self("coinsUnknown")
    /// The transaction's lock time has not come yet.
    public static let notFinal = Self("notFinal")
    /// The transaction spends coins of a block reward that are not mature yet.
    public static let immatureCoins = Self("immatureCoins")
    /// No node has confirmed that it accepted the transaction.
    public static let noAnswer = Self("noAnswer")
    /// The node did not accept the transaction, for a reason that is not known.
    public static let unclear = Self("unclear")
    /// Another transaction has spent the coins.
    public static let coinsSpent = Self("coinsSpent")
    /// The transaction has expired: nodes accept one of ICON for five minutes.
    public static let tooOld = Self("tooOld")
    /// The transaction's timestamp is ahead of the node's clock.
    public static let tooEarly = Self("tooEarly")
    /// The transaction's step limit is below the least that it can cost.
    public static let tooFewSteps = Self("tooFewSteps")
    /// The transaction's signature is not valid for the node.
    public static let badSignature = Self("badSignature")
    /// The transaction violates the network's rules.
    public static let invalid = Self("invalid")
}

// MARK: - Settings

extension DaybookError.Code {
    /// There is no setting with this name.
    public static let unknownSetting = Self("unknownSetting")
    /// The value is none that the setting can have.
    public static let invalidSetting = Self("invalidSetting")
}

// MARK: - Cancelling

extension DaybookError.Code {
    /// The task of the call was cancelled; nothing is half-done.
    public static let callCancelled = Self("callCancelled")
}

// MARK: - Payments that were lost

extension DaybookError.Code {
    /// No node has the payment, and none accepts it any more.
    public static let dropped = Self("dropped")
    /// Another transaction spends the coins of the payment.
    public static let conflicted = Self("conflicted")
    /// A block has the payment, but its execution failed.
    public static let failedOnChain = Self("failedOnChain")
}

// MARK: - Witnesses

extension DaybookError.Code {
    /// The address of a witness is malformed.
    public static let invalidWitnessURL = Self("invalidWitnessURL")
    /// The key of a witness is malformed, or of another type.
    public static let invalidWitnessKey = Self("invalidWitnessKey")
    /// There are as many witnesses as a store may have.
    public static let tooManyWitnesses = Self("tooManyWitnesses")
    /// No witness with this key was added.
    public static let unknownWitness = Self("unknownWitness")
    /// A witness does not answer.
    public static let witnessUnreachable = Self("witnessUnreachable")
    /// A witness does not know the log, or not its key.
    public static let witnessRefuses = Self("witnessRefuses")
    /// A witness has cosigned another log of this name.
    public static let witnessForked = Self("witnessForked")
    /// A witness has cosigned more events than there are.
    public static let witnessAhead = Self("witnessAhead")
    /// A witness's answer is not what it should be.
    public static let witnessWrong = Self("witnessWrong")
    /// The clocks of a witness and of this machine disagree.
    public static let witnessClockOff = Self("witnessClockOff")
    /// Another process is the witness with this state.
    public static let witnessRunning = Self("witnessRunning")
    /// The state of a witness is not as it was written.
    public static let witnessDamaged = Self("witnessDamaged")
    /// The key of a log is malformed.
    public static let invalidLogKey = Self("invalidLogKey")
}
