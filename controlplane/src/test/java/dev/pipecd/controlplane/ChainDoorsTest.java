// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.store.ChainTable;
import dev.pipecd.controlplane.store.CommandTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.wire.model.ChainBlock;
import dev.pipecd.wire.model.ChainBlockStatus;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest.ApplicationMatcher;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.InChainDeploymentPlannableRequest;
import dev.pipecd.wire.piped.InChainDeploymentPlannableResponse;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.GetDeploymentChainRequest;
import dev.pipecd.wire.web.ListDeploymentChainsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChainDoorsTest {
    private static final ApplicationMatcher BACK = named("back");
    private static final String PUBLIC_CHAIN = "9f2c7a4e-3c7b-4b0a-8a55-6d1f4e1c2b3a";

    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static ApplicationMatcher named(String name) {
        return ApplicationMatcher.newBuilder().setName(name).build();
    }

    private String application(String name, String tier) {
        return web.addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName(name)
                                .setPipedId(home.piped().value())
                                .setGitPath(Samples.gitPath("folder-" + name + tier))
                                .putLabels("tier", tier)
                                .build())
                .getApplicationId();
    }

    private DeploymentChain chain() {
        var chains =
                web.listDeploymentChains(ListDeploymentChainsRequest.getDefaultInstance())
                        .getDeploymentChainsList();
        assertThat(chains).hasSize(1);
        return chains.getFirst();
    }

    private List<ChainBlockStatus> blocks() {
        return chain().getBlocksList().stream().map(ChainBlock::getStatus).toList();
    }

    private List<Command> orders(Command.Type type) {
        return home
                .calls()
                .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                .getCommandsList()
                .stream()
                .filter(c -> c.getType() == type)
                .toList();
    }

    /// Its agent takes the order and creates the deployment.
    private void created(String id, String application, int block) {
        var _ =
                home.calls()
                        .createDeployment(
                                CreateDeploymentRequest.newBuilder()
                                        .setDeployment(
                                                Samples.deployment(id, application, home.agent())
                                                        .toBuilder()
                                                        .setDeploymentChainId(chain().getId())
                                                        .setDeploymentChainBlockIndex(block))
                                        .build());
    }

    private void begun(String id) {
        home.plan(id);
        home.move(id, DeploymentStatus.DEPLOYMENT_RUNNING);
    }

    private InChainDeploymentPlannableResponse plannable(String id, int block) {
        return home.calls()
                .inChainDeploymentPlannable(
                        InChainDeploymentPlannableRequest.newBuilder()
                                .setDeploymentId(id)
                                .setDeploymentChainId(chain().getId())
                                .setDeploymentChainBlockIndex(block)
                                .build());
    }

    @Test
    void aChainWalksBlockByBlockAndMovesWithEachReport() {
        var back = application("back", "2");
        home.chain("d1", BACK);
        created("d2", back, 1);
        assertThat(plannable("d1", 0).getPlannable()).isTrue();
        assertThat(plannable("d2", 1).getPlannable()).isFalse();
        assertThat(plannable("d2", 1).getCancel()).isFalse();

        begun("d1");
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_RUNNING);
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_PENDING);
        assertThat(plannable("d2", 1).getPlannable()).isTrue();
        begun("d2");
        home.complete("d2", DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_SUCCESS);
        assertThat(chain().getCompletedAt()).isEqualTo(world.now.get().getEpochSecond());
        assertThat(chain().getBlocks(1).getNodes(0).getDeploymentRef().getDeploymentId())
                .isEqualTo("d2");
        assertThat(world.features.changes().since(HERE, 0, 100))
                .filteredOn(c -> c.kind() == Change.Kind.DEPLOYMENT_CHAIN)
                .extracting(Change::what)
                .startsWith("added")
                .endsWith("success");
    }

    @Test
    void everyApplicationBehindTheFirstIsOrderedOnceHoweverOftenTheChainIsBegun() {
        var back = application("back", "2");

        home.chain("d1", BACK);
        home.chain("d1", BACK);

        var orders = orders(Command.Type.CHAIN_SYNC_APPLICATION);
        assertThat(orders).hasSize(1);
        assertThat(orders.getFirst().getApplicationId()).isEqualTo(back);
        assertThat(orders.getFirst().getCommander()).isEqualTo(chain().getId());
        assertThat(orders.getFirst().getChainSyncApplication().getBlockIndex()).isEqualTo(1);
    }

    @Test
    void labelsOfAMatcherAreHonoured() {
        var _ = application("back", "2");
        var wanted = application("back", "3");

        home.chain("d1", ApplicationMatcher.newBuilder().putLabels("tier", "3").build());

        assertThat(orders(Command.Type.CHAIN_SYNC_APPLICATION))
                .extracting(Command::getApplicationId)
                .containsExactly(wanted);
    }

    @Test
    void aMatcherThatSaysNothingOrNamesNoKindIsRefused() {
        fails(
                Status.Code.INVALID_ARGUMENT,
                "matcher: empty",
                () -> home.chain("d1", ApplicationMatcher.getDefaultInstance()));
        fails(
                Status.Code.INVALID_ARGUMENT,
                "kind: \"TOASTER\"",
                () -> home.chain("d1", ApplicationMatcher.newBuilder().setKind("TOASTER").build()));

        assertThat(
                        web.listDeploymentChains(ListDeploymentChainsRequest.getDefaultInstance())
                                .getDeploymentChainsCount())
                .isZero();
    }

    @Test
    void aBlockWithoutApplicationsCannotHangTheChain() {
        var back = application("back", "2");
        home.chain("d1", named("nobody"), BACK);
        created("d3", back, 2);
        begun("d1");
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_PENDING);
        assertThat(plannable("d3", 2).getPlannable()).isTrue();
    }

    @Test
    void aFailedBlockCancelsItsSiblingsAndAllThatFollows() {
        var one = application("back", "2");
        var two = application("back", "3");
        var last = application("last", "4");
        home.chain("d1", BACK, named("last"));
        begun("d1");
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);
        created("d2", one, 1);
        created("d3", two, 1);
        created("d4", last, 2);
        begun("d2");
        begun("d3");

        home.complete("d2", DeploymentStatus.DEPLOYMENT_FAILURE);

        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED);
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
        assertThat(orders(Command.Type.CANCEL_DEPLOYMENT))
                .extracting(Command::getDeploymentId)
                .containsExactly("d3");
        assertThat(plannable("d4", 2).getCancel()).isTrue();
        assertThat(plannable("d4", 2).getCancelReason())
                .isEqualTo("Block 1 of the deployment chain has ended as FAILURE");
        home.complete("d4", DeploymentStatus.DEPLOYMENT_CANCELLED);
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
    }

    @Test
    void anApplicationThatStandsInTwoBlocksIsFollowedInEach() {
        var back = application("back", "2");
        home.chain("d1", BACK, BACK);
        begun("d1");
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);
        created("d2", back, 1);
        begun("d2");
        home.complete("d2", DeploymentStatus.DEPLOYMENT_SUCCESS);

        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_PENDING);
        assertThat(chain().getBlocks(2).getNodes(0).hasDeploymentRef()).isFalse();
    }

    @Test
    void anAgentThatCannotDeployEndsTheChain() {
        var _ = application("back", "2");
        home.chain("d1", BACK);

        answered(CommandStatus.COMMAND_FAILED);

        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
    }

    private void answered(CommandStatus status) {
        var order = orders(Command.Type.CHAIN_SYNC_APPLICATION).getFirst();
        var _ =
                home.calls()
                        .reportCommandHandled(
                                ReportCommandHandledRequest.newBuilder()
                                        .setCommandId(order.getId())
                                        .setStatus(status)
                                        .setHandledAt(1)
                                        .build());
    }

    @Test
    void anAgentThatSaysItDeployedAndDidNotEndsTheChainAfterAWhile() {
        var _ = application("back", "2");
        home.chain("d1", BACK);
        begun("d1");
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);
        answered(CommandStatus.COMMAND_SUCCEEDED);

        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(10)));
        world.features.delivery().lookAfter();
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_RUNNING);
        world.now.updateAndGet(now -> now.plus(Duration.ofSeconds(1)));
        world.features.delivery().lookAfter();

        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE);
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
    }

    @Test
    void anAgentThatSaidItDeployedAndDidIsWaitedFor() {
        var back = application("back", "2");
        home.chain("d1", BACK);
        answered(CommandStatus.COMMAND_SUCCEEDED);
        created("d2", back, 1);

        world.now.updateAndGet(now -> now.plus(Duration.ofHours(30)));
        world.features.delivery().lookAfter();

        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_PENDING);
    }

    @Test
    void anAgentThatNeverAnswersEndsTheChainAfterADay() {
        var _ = application("back", "2");
        home.chain("d1", BACK);
        begun("d1");
        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

        world.now.updateAndGet(now -> now.plus(Duration.ofHours(25)));
        world.features.delivery().lookAfter();

        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
    }

    /// A chain and its order as a public server leaves them: under ids that follow from nothing.
    private void publicChain(String application, CommandStatus order) {
        home.chain("d1", BACK);
        var opened = chain();
        var database = world.features.stores().database();
        var chains = new ChainTable(database, new Trail(database), world.now::get);
        chains.add(opened.toBuilder().setId(PUBLIC_CHAIN).build(), "public");
        new CommandTable(database, new Trail(database), world.now::get)
                .add(
                        Command.newBuilder()
                                .setId("2b3c1f5e-7f5d-4b1c-9d1e-0a1b2c3d4e5f")
                                .setProjectId(HERE.value())
                                .setPipedId(home.piped().value())
                                .setApplicationId(application)
                                .setType(Command.Type.CHAIN_SYNC_APPLICATION)
                                .setStatus(order)
                                .setChainSyncApplication(
                                        Command.ChainSyncApplication.newBuilder()
                                                .setDeploymentChainId(PUBLIC_CHAIN)
                                                .setBlockIndex(1)
                                                .setApplicationId(application))
                                .build(),
                        "public");
    }

    private List<Command> ordersOfThePublicChain() {
        return orders(Command.Type.CHAIN_SYNC_APPLICATION).stream()
                .filter(c ->
                        c.getChainSyncApplication().getDeploymentChainId().equals(PUBLIC_CHAIN))
                .toList();
    }

    @Test
    void whatAPublicServerHasOrderedIsNotOrderedAgain() {
        publicChain(application("back", "2"), CommandStatus.COMMAND_NOT_HANDLED_YET);

        world.features.delivery().lookAfter();

        assertThat(ordersOfThePublicChain())
                .extracting(Command::getId)
                .containsExactly("2b3c1f5e-7f5d-4b1c-9d1e-0a1b2c3d4e5f");
    }

    @Test
    void anOrderOfAPublicServerThatFailedEndsItsChain() {
        publicChain(application("back", "2"), CommandStatus.COMMAND_FAILED);

        world.features.delivery().lookAfter();

        assertThat(ordersOfThePublicChain()).isEmpty();
        var found =
                web.getDeploymentChain(
                        GetDeploymentChainRequest.newBuilder()
                                .setDeploymentChainId(PUBLIC_CHAIN)
                                .build());
        assertThat(found.getDeploymentChain().getBlocks(1).getStatus())
                .isEqualTo(ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE);
    }

    @Test
    void aLostDeploymentThatIsCorrectedIsToldSoInItsChainWhichStaysEnded() {
        var _ = application("back", "2");
        home.chain("d1", BACK);
        begun("d1");
        loseWhatIsSilent();
        world.features.delivery().lookAfter();
        assertThat(node()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);

        home.complete("d1", DeploymentStatus.DEPLOYMENT_SUCCESS);

        assertThat(node()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(blocks())
                .containsExactly(
                        ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE,
                        ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED);
        assertThat(chain().getStatus()).isEqualTo(ChainStatus.DEPLOYMENT_CHAIN_FAILURE);
    }

    private DeploymentStatus node() {
        return chain().getBlocks(0).getNodes(0).getDeploymentRef().getStatus();
    }

    /// Ten minutes pass in which servers listen and no agent speaks.
    private void loseWhatIsSilent() {
        var lost =
                world.features.delivery().lost(() -> List.of(home.piped()), Duration.ofMinutes(2));
        for (var minute = 0; minute < 10; minute++) {
            world.features.pipeds().heartbeats().listen("server");
            lost.look(Turn.ALWAYS);
            world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(1)));
        }
    }

    @Test
    void aDeploymentAsksOnlyAboutItsOwnChain() {
        home.chain("d1");
        home.create("d2");

        fails(Status.Code.INVALID_ARGUMENT, "has no block 0", () -> plannable("d2", 0));
        fails(Status.Code.INVALID_ARGUMENT, "has no block 7", () -> plannable("d1", 7));
        fails(Status.Code.INVALID_ARGUMENT, "has no block -1", () -> plannable("d1", -1));
    }

    @Test
    void peopleOfTheProjectSeeAChainAndNobodyElse() {
        home.chain("d1");
        var asked =
                GetDeploymentChainRequest.newBuilder()
                        .setDeploymentChainId(chain().getId())
                        .build();

        var viewer = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Viewer")));
        assertThat(viewer.getDeploymentChain(asked).getDeploymentChain()).isEqualTo(chain());
        var stranger =
                WebServiceGrpc.newBlockingStub(world.as(World.person(World.ELSEWHERE, "Admin")));
        fails(Status.Code.NOT_FOUND, "deployment chain", () -> stranger.getDeploymentChain(asked));
    }
}
