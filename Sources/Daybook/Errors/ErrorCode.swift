import DaybookDomain
import DaybookSystem

extension DaybookError {
    /// The stable name of an error or refusal; later versions may have further ones.
    ///
    /// The known ones are static properties: `error.code == .wrongPassphrase`.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The name as commands and JSON have it.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        init(_ name: String) { self.init(rawValue: name) }
    }
}

extension DaybookError.Code: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name.
    public var description: String { rawValue }

    /// A code by its name, for one that this version does not know.
    public init(stringLiteral name: String) { self.init(rawValue: name) }
}

extension DaybookError.Code {
    init(_ refusal: Refusal.Code) { self.init(rawValue: refusal.rawValue) }

    /// The code of a system call's failure; `other` if it is none of those with a name.
    init(_ error: Errno, or other: DaybookError.Code = .systemError) {
        self = error.reason.map { DaybookError.Code(rawValue: $0) } ?? other
    }
}

extension DaybookError.Code {
    /// All codes that have a name here; front ends in other languages are given this table.
    package static let all: [Self] = [
        // The store and its log.
        .storeMissing, .storeExists, .storeHalfCreated, .storeTooNew, .storeNeedsMigration,
        .storeDamaged, .storeNotOwned, .storeReadOnly, .storeAlreadyOpen, .storeInOtherContainer,
        .storePoisoned, .fileExposed, .permissionDenied, .diskFull, .deviceFailed, .tooManyFiles,
        .tooManyReaders, .outOfMemory, .systemError, .storageError, .failed, .tooLarge,
        .entropyFailed, .clockJumped, .settingsInvalid, .folderNotEmpty, .fileExists,
        .archiveDamaged, .segmentMissing, .segmentChanged, .unreadableFile, .developmentVersion,
        // A log in a database.
        .storeFenced, .databaseURLInvalid, .databaseUnreachable, .databaseTimeout, .databaseBusy,
        .databaseConflict, .databaseLoginRefused, .databaseMissing, .databasePooler, .databaseTLS,
        .databaseTooOld, .databaseReadOnly, .databaseNotDurable, .databaseNotPermitted,
        .databaseFull, .databaseUnprepared, .databaseTooNew, .databaseHalfMade, .databaseLogDiffers,
        .tooManyLogs, .databaseFailed,
        // Wallets, keys and passphrases.
        .unknownWallet, .unknownCoin, .ambiguousCoin, .tooManyCoins, .noCoins, .walletExists,
        .walletBusy, .watchOnly, .wrongPassphrase, .passphraseMissing, .passphraseEmpty,
        .passphraseUntypable, .passphraseWeak, .lockedOut, .unlockOvertaken, .keyMissing,
        .keyDamaged, .keyMismatch, .invalidMnemonic, .invalidKey, .invalidKeystore,
        .uncompressedKey, .wrongChain, .invalidWallet,
        // Labels and prices.
        .invalidLabel, .labelTooLong, .invalidLabelFile, .fileTooLarge, .invalidPrice,
        .invalidCurrency, .unknownAsset, .ambiguousAsset, .priceConflict, .unknownPrice,
        .invalidPriceFile,
        // Requests and signing.
        .keyConflict, .sending, .unknownCallback, .signingRefused, .nothingToSign,
        .notASigningRequest, .signedDiffers, .notSigned, .termsChanged,
        // Parameters of calls.
        .invalidName, .invalidTime, .invalidPeriod, .invalidCount, .invalidInterval,
        .invalidLogin, .invalidNode,
        .invalidNodeURL, .invalidProxy, .invalidRange, .unknownPosition, .unknownNode, .notSandbox,
        // Exports, backups and checkpoints.
        .notAnExport, .exportTooNew, .exportDamaged, .exportChanged, .exportPartial, .unknownFormat,
        .importDiverges, .importFromFuture, .fork, .otherLog, .eventInvalid, .backupExists,
        .backupInside, .backupNotWhole, .checkpointInvalid, .checkpointUnknownKey, .logKeyMissing,
        .logKeyDamaged, .logKeyChanged, .rolledBack, .forked,
        // Time stamps.
        .checkpointMissing, .invalidAuthorityURL, .invalidCertificates, .authorityUnreachable,
        .authorityNoAnswer, .authorityAnswerInvalid, .authorityRefused, .stampMismatch,
        .stampInvalid, .stampUntrusted,
        // Witnesses.
        .invalidWitnessURL, .invalidWitnessKey, .tooManyWitnesses, .unknownWitness,
        .witnessUnreachable, .witnessRefuses, .witnessForked, .witnessAhead, .witnessWrong,
        .witnessClockOff, .witnessRunning, .witnessDamaged, .invalidLogKey,
        // Problems that a verification finds.
        .unreadableLog, .pageWrong, .metaWrong, .eventWrong, .entryMissing, .entryExtra,
        .entryWrong, .checkpointWrong,
        // Nodes.
        .nodeMissing, .nodeUnreachable, .nodeProxy, .nodeNoAnswer, .nodeCertificate,
        .nodeWrongPassword, .nodeWrongPath, .nodeRedirect, .nodeWarmingUp, .nodeBusy, .nodeSyncing,
        .nodeWrongChain, .nodeNoAddressIndex, .nodeNoTransactionIndex, .nodeMissingTransaction,
        .nodeUnprovenSpend, .nodeContradiction, .nodeOmission, .nodeUnknownCall, .nodeAnswerTooLong,
        .nodeAnswerInvalid, .nodeAnswerWrong, .nodeTooSlow, .nodeUnsettled, .nodeRefused,
        .credentialsExposed, .credentialsDamaged,
        // Nodes' words about a transaction.
        .feeTooLow, .feeBelowRelay, .mempoolFull, .tooManyUnconfirmed, .mempoolConflict,
        .coinsUnknown, .notFinal, .immatureCoins, .noAnswer, .unclear, .coinsSpent, .tooOld,
        .tooEarly, .tooFewSteps, .badSignature, .invalid,
        // Settings.
        .unknownSetting, .invalidSetting,
        // Cancelling.
        .callCancelled,
        // Payments that were lost.
        .dropped, .conflicted, .failedOnChain,
        // Refusals.
        .linkTooLong, .malformedLink, .unsupportedScheme, .unknownMethod, .duplicateKey,
        .unknownRequiredKey, .missingParameter, .invalidParameter, .privateKeyInLink,
        .paymentProtocolUnsupported, .missingCaller, .invalidCaller, .proofUnavailable,
        .invalidAddress, .wrongNetwork, .invalidAmount, .amountTooPrecise, .amountTooLarge, .dust,
        .undecodable, .invalidRequest, .cannotBeShown, .senderBlocked, .tooManyFromSender,
        .tooManyRequests, .noWallet, .walletNotFound, .unknownAccount, .sameAddress,
        .insufficientBalance, .insufficientFee, .instantSendUnavailable, .transactionTooLarge,
        .chainUnavailable, .notAToken, .stepLimitTooLow, .rejectedByUser, .expired, .unknownRequest,
        .alreadyDecided, .promptChanged, .amountMissing, .amountFixed, .wrongWallet, .walletLocked,
        .earlierAttemptOpen, .coinUnavailable, .coinsFixed, .noPayment, .notOnICON, .notSent,
        .alreadySent, .alreadyConfirmed, .alreadyBumped, .alreadyCancelled, .isCancellation,
        .noOwnOutput, .outputSpent, .outputTooSmall, .coinsGone, .feeTooHigh, .tooManyAncestors,
        .cancelled, .cancelledAfterAnswer, .signingFailed, .refusedByNode, .clockOff,
    ]
}
