// The real effects of a run, put together from the doors to the world.

import Core
import Host
import StateStore
import Sync
import Transfer

/// The real effects of a run.
struct LiveWorld: Sendable {
  /// The invocation that runs.
  let invocation: Invocation
  /// The configuration.
  let settings: Settings
  /// The store.
  let store: Store
  /// The zone in which cron fields are read.
  let zone: Zone
  /// What runs hooks and secret commands.
  let supervisor = Supervisor()
  /// What fetches.
  let transfers: TransferLoop
  /// What downloads: connections and a thread of its own, so that neither a long file nor a slow disk holds up a feed.
  let downloads: TransferLoop
  /// Whether there were too few open files for all of it.
  let shortage = OpenFileShortage()

  init(invocation: Invocation, settings: Settings, store: Store, zone: Zone) {
    self.invocation = invocation
    self.settings = settings
    self.store = store
    self.zone = zone
    // How many of them may go to one host, each request says.
    transfers = TransferLoop(
      connections: settings.network.connections, connectionsPerHost: settings.network.connections,
      proxies: .ofProcess(), ownAddresses: { Machine.addresses() })
    downloads = TransferLoop(
      connections: settings.network.connections, connectionsPerHost: settings.network.connections,
      proxies: .ofProcess(), ownAddresses: { Machine.addresses() }, rateLimit: settings.network.rateLimit)
  }

  /// The effects; `report` hears of what happens.
  func effects(report: @escaping @Sendable (RunEvent) -> Void) -> Effects {
    Effects(
      machine: invocation.machineEffects(zone: zone), store: storeEffects, network: networkEffects,
      files: fileEffects, telling: tellingEffects, transfers: transferEffects, report: report)
  }

  /// Ends the threads that fetch and download, where there are any.
  func shutDown() {
    transfers.shutdown()
    downloads.shutdown()
  }

  /// The configured feeds' names.
  var configured: Set<FeedName> { Set(settings.feeds.map(\.name)) }
}

extension Invocation {
  /// The clock and the machine.
  func machineEffects(zone: Zone) -> MachineEffects {
    let clock = clock
    var machine = MachineEffects(
      now: { clock.now() }, timestamp: { clock.timestamp() },
      milliseconds: { WallClock.monotonicMilliseconds() },
      sleep: { until in
        let left = until - WallClock.monotonicMilliseconds()
        // A cancelled sleep is over; the run looks at the clock again in any case.
        if left > 0 { try? await WallClock.sleep(for: .milliseconds(left)) }
      }, zone: zone, identity: Machine.identity(), hasUsableRoute: { Machine.hasUsableRoute() })
    machine.aside = { work in await workOnOwnThread(work) }
    return machine
  }
}
