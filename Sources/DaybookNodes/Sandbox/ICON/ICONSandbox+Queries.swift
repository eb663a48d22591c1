package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

extension ICONSandbox {
    /// The last block.
    package var tip: ICONTip {
        rows.value(ICONKey.tip).flatMap { ICONTip($0) } ?? ICONTip.beginning
    }

    /// The balance of an account or contract, in loop.
    package func balance(of holder: ICONAddress) -> UInt256 {
        ICONLedger(rows).balance(of: holder)
    }

    /// The token balance of an account or contract, in the smallest unit.
    package func tokens(of holder: ICONAddress) -> UInt256 {
        ICONLedger(rows).tokens(of: holder) ?? .zero
    }

    /// The answer of `icx_call`; throws if the contract does not exist or refuses.
    package func call(
        _ contract: ICONAddress, _ data: JSON
    ) throws(ICONRefusal) -> JSON {
        let failure: ICONFailure
        do {
            return try read(contract, data)
        } catch {
            failure = error
        }
        throw .contract(failure)
    }

    /// As `call`, with a query of the token standard.
    package func ask(
        _ contract: ICONAddress, _ query: IRC2.Query
    ) throws(ICONRefusal) -> JSON {
        try call(contract, query.data)
    }

    /// The steps that params without a step limit and signature would use now.
    package func estimateSteps(_ params: JSON) throws(ICONRefusal) -> UInt64 {
        let problems = ICONFields.problems(in: params, as: .estimate)
        guard problems.isEmpty else { throw .fields(problems) }
        guard let work = ICONWork(params) else {
            throw .system("E2005:UnknownJSON")
        }
        var execution = ICONExecution(work, on: ICONLedger(rows), stepLimit: Self.maximumSteps)
        execution.run()
        if let failure = execution.failure { throw .contract(failure) }
        return execution.stepUsed
    }

    /// The state of a transaction.
    package func result(of hash: Bytes) -> ICONResult {
        guard let entry = entry(hash) else { return .unknown }
        return entry.receipt.map { .executed($0) } ?? .pending
    }

    /// The hashes of the pending transactions, in the order of their arrival.
    package var pending: [Bytes] {
        rows.scan(prefix: ICONKey.pool, after: nil, limit: .max).map(\.value)
    }

    /// The signed params of a transaction, pending or executed.
    package func params(of hash: Bytes) -> JSON? {
        entry(hash).flatMap { try? JSON.parse(Bytes($0.params.utf8)) }
    }

    /// The block at a height; nil above the tip.
    package func tip(at height: UInt64) -> ICONTip? {
        let tip = self.tip
        guard height < tip.height else { return height == tip.height ? tip : nil }
        return block(at: height + 1)?.parent
    }

    /// The times of the blocks at some heights, without those that have none.
    package func times(of heights: [UInt64]) -> [ChainObserved.Block] {
        heights.compactMap { height in
            tip(at: height).map { ChainObserved.Block(height: height, time: $0.time) }
        }
    }

    /// The hashes of a block's transactions, in the order of their execution.
    package func transactions(inBlockAt height: UInt64) -> [Bytes] {
        block(at: height)?.transactions ?? []
    }

    private func block(at height: UInt64) -> ICONSandboxBlock? {
        rows.value(ICONKey.block(height)).flatMap { ICONSandboxBlock($0) }
    }

    func entry(_ hash: Bytes) -> ICONEntry? {
        rows.value(ICONKey.transaction(hash)).flatMap { ICONEntry($0) }
    }

    private func read(_ contract: ICONAddress, _ data: JSON) throws(ICONFailure) -> JSON {
        guard contract == Self.token else {
            throw ICONFailure(code: 0x2, message: "ContractNotFound")
        }
        guard let name = data["method"]?.stringValue, let method = ICONTokenMethod(rawValue: name)
        else { throw .methodNotFound() }
        guard method != .transfer else {
            throw ICONFailure(
                code: 0x9, message: "AccessDenied",
                reason: "AccessingWritableFromReadOnly(\(name))")
        }
        let arguments = try method.arguments(from: data["params"])
        switch method {
        case .name: return .string(Self.tokenName)
        case .symbol: return .string(Self.tokenSymbol)
        case .decimals: return .string(ICONInteger.text(UInt64(Self.tokenDecimals)))
        case .totalSupply: return .string(ICONInteger.text(Self.tokenSupply))
        case .balanceOf, .transfer:
            let held = arguments.holder.map { tokens(of: $0) } ?? .zero
            return .string(ICONInteger.text(held))
        }
    }
}
