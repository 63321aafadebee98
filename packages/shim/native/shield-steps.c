/*
 * See shield.h: what each step mounts.
 *
 * Stages: what is kept or put elsewhere is cloned before anything is covered → the steps, in their order → the places of
 * what was hidden are made read-only. Places are named by descriptors that followed no symbolic link, so a path that has changed
 * since it was resolved is an error and not another place (the last part of a path excepted: see open_place).
 */
#include "shield.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers are often older than the kernel they meet: what is used of it is written down here. */
#define NR_OPEN_TREE 428
#define NR_MOVE_MOUNT 429
#define NR_FSOPEN 430
#define NR_FSCONFIG 431
#define NR_FSMOUNT 432
#define NR_OPENAT2 437
#define NR_MOUNT_SETATTR 442
#define NO_MAGIC_LINKS 2u
#define NO_LINKS 4u
#define TREE_CLONE 1u
#define TREE_RECURSIVE 0x8000u
#define EMPTY_PATH 0x1000u
#define FROM_AND_TO_ARE_DESCRIPTORS 0x44u
#define CONFIG_FLAG 0u
#define CONFIG_STRING 1u
#define CONFIG_CREATE 6u
#define ATTRIBUTE_READ_ONLY 1ull
#define ATTRIBUTES_PLAIN 0xeull /* nosuid, nodev, noexec */
#define ATTRIBUTES_OF_LINK 0x7ull /* read-only, nosuid, nodev */
#define ATTRIBUTES_TERMINALS 0xaull /* nosuid, noexec: terminals are devices */

struct open_way {
	u64 flags, mode, resolve;
};

struct attributes {
	u64 set, clear, propagation, user_namespace;
};

struct work {
	/* one per step: what it will put in place, cloned beforehand; -1 */
	int *clones;
	/* the file systems that stand for hidden directories, to be made read-only */
	int *covers;
	size_t cover_count;
};

static int call(long result)
{
	return result < 0 ? -errno : (int)result;
}

static bool is_missing(int result)
{
	return result == -ENOENT || result == -ENOTDIR;
}

/*
 * The last part may be a link, and is then the place itself: the kernel mounts on links as well. So a link can be hidden, or mounted
 * onto itself and thereby pinned; what it leads to is another place.
 */
static int open_place(const char *path)
{
	struct open_way how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = NO_LINKS | NO_MAGIC_LINKS};
	return call(syscall(NR_OPENAT2, AT_FDCWD, path, &how, sizeof how));
}

/*
 * With all that is mounted below it: the kernel gives no part of what belongs together.
 *
 * A link has attributes at once that cost it nothing. Programs that confine their own children (bubblewrap) give them to every
 * mount, by its path; that of a link leads to another place, and they would fail. What has them already they pass.
 */
static int clone_place(int place)
{
	struct stat found;
	if (fstat(place, &found) != 0)
		return -errno;
	int tree = call(syscall(NR_OPEN_TREE, place, "", TREE_CLONE | O_CLOEXEC | TREE_RECURSIVE | EMPTY_PATH));
	if (tree < 0 || !S_ISLNK(found.st_mode))
		return tree;
	struct attributes of_link = {.set = ATTRIBUTES_OF_LINK};
	int result = call(syscall(NR_MOUNT_SETATTR, tree, "", EMPTY_PATH, &of_link, sizeof of_link));
	if (result == 0)
		return tree;
	close(tree);
	return result;
}

static int attach(int tree, int place)
{
	return call(syscall(NR_MOVE_MOUNT, tree, "", place, "", FROM_AND_TO_ARE_DESCRIPTORS));
}

/* Private, too: a file system that is mounted on the machine later would come in as it is, and could be written to. */
static int make_read_only(int tree)
{
	struct attributes read_only = {.set = ATTRIBUTE_READ_ONLY, .propagation = MS_PRIVATE};
	return call(syscall(NR_MOUNT_SETATTR, tree, "", EMPTY_PATH | TREE_RECURSIVE, &read_only, sizeof read_only));
}

struct option {
	const char *key;
	/* NULL: a flag */
	const char *value;
};

/* A new file system that is mounted nowhere yet. */
static int new_file_system(const char *type, const struct option *options, u64 attributes)
{
	int context = call(syscall(NR_FSOPEN, type, 1 /* FSOPEN_CLOEXEC */));
	if (context < 0)
		return context;
	int result = 0;
	for (; result == 0 && options->key; options++)
		result = call(syscall(NR_FSCONFIG, context, options->value ? CONFIG_STRING : CONFIG_FLAG, options->key, options->value, 0));
	if (result == 0)
		result = call(syscall(NR_FSCONFIG, context, CONFIG_CREATE, NULL, NULL, 0));
	if (result == 0)
		result = call(syscall(NR_FSMOUNT, context, 1 /* FSMOUNT_CLOEXEC */, attributes));
	close(context);
	return result;
}

static int new_cover(void)
{
	/* Room for the names of what is kept inside; files in it are empty. */
	static const struct option options[] = {{"mode", "0755"}, {"size", "64k"}, {"nr_inodes", "1024"}, {NULL, NULL}};
	return new_file_system("tmpfs", options, ATTRIBUTES_PLAIN);
}

static int new_terminals(void)
{
	static const struct option options[] = {{"newinstance", NULL}, {"ptmxmode", "0666"}, {"mode", "0600"}, {NULL, NULL}};
	return new_file_system("devpts", options, ATTRIBUTES_TERMINALS);
}

static int hide_directory(struct work *work, int place)
{
	int cover = new_cover();
	if (cover < 0)
		return cover;
	int result = attach(cover, place);
	if (result < 0)
		close(cover);
	else
		work->covers[work->cover_count++] = cover;
	return result;
}

/* The same place, mounted onto itself: it can be neither renamed nor removed, and neither can what it is reached through. */
static int remount(int place, bool read_only)
{
	int tree = clone_place(place);
	int result = tree < 0 ? tree : read_only ? make_read_only(tree) : 0;
	if (result == 0)
		result = attach(tree, place);
	if (tree >= 0)
		close(tree);
	return result;
}

static int put_terminals(int place, int *terminals_fd)
{
	int tree = new_terminals();
	int result = tree < 0 ? tree : attach(tree, place);
	if (result < 0 && tree >= 0)
		close(tree);
	if (result == 0)
		*terminals_fd = tree;
	return result;
}

/* Makes the directories above `path`, one by one. Only below what was hidden or replaced is there anything to make. */
static int make_parents(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		int result = mkdir(path, 0755) == 0 || errno == EEXIST || errno == EROFS ? 0 : -errno;
		*at = '/';
		if (result < 0)
			return result;
	}
	return 0;
}

/* What is kept has its place inside of what is hidden: an empty file or directory that it is mounted on. */
static int place_for(struct step *step, int clone)
{
	int place = open_place(step->path);
	if (place != -ENOENT)
		return place;
	struct stat kept;
	int result = fstat(clone, &kept) != 0 ? -errno : make_parents(step->path);
	if (result < 0)
		return result;
	if (S_ISDIR(kept.st_mode))
		result = mkdir(step->path, 0755) == 0 ? 0 : -errno;
	else
		result = mknod(step->path, S_IFREG | 0600, 0) == 0 ? 0 : -errno;
	return result < 0 ? result : open_place(step->path);
}

static int put(struct step *step, int clone)
{
	int place = place_for(step, clone);
	if (place < 0)
		return place;
	int result = attach(clone, place);
	close(place);
	return result;
}

static int put_link(struct step *step)
{
	int result = make_parents(step->path);
	if (result < 0)
		return result;
	return symlink(step->other, step->path) == 0 || errno == EEXIST ? 0 : -errno;
}

static int take_step(struct work *work, struct step *step, int clone, int *terminals_fd)
{
	if (step->kind == STEP_MARK)
		return 0;
	if (step->kind == STEP_LINK)
		return put_link(step);
	if (step->kind == STEP_KEEP || step->kind == STEP_REPLACE)
		return clone < 0 ? 0 : put(step, clone);
	int place = open_place(step->path);
	if (place < 0)
		return is_missing(place) ? 0 : place;
	int result;
	if (step->kind == STEP_HIDE)
		result = clone < 0 ? hide_directory(work, place) : attach(clone, place);
	else if (step->kind == STEP_TERMINALS)
		result = put_terminals(place, terminals_fd);
	else if (strcmp(step->path, "/") == 0)
		/* As it is: of two mounts at the root, later steps would be about the lower one, and the command in the upper. */
		result = make_read_only(place);
	else
		result = remount(place, step->kind == STEP_READ_ONLY);
	close(place);
	return result;
}

/*
 * An empty file without rights, which stands for hidden files: a place to clone it from. The kernel clones only what is mounted, so
 * the file system that it is on is mounted over a directory that is there everywhere, until all clones are made.
 */
static const char *const blank_mount = "/dev";

static int put_blank(void)
{
	int place = open_place(blank_mount), cover = place < 0 ? place : new_cover();
	int result = cover < 0 ? cover : attach(cover, place);
	int file = result < 0 ? result : openat(cover, "hidden", O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0);
	if (result == 0 && file < 0)
		result = -errno;
	if (result == 0)
		result = make_read_only(cover);
	if (file >= 0)
		close(file);
	int blank = result < 0 ? result : call(openat(cover, "hidden", O_PATH | O_CLOEXEC));
	if (place >= 0)
		close(place);
	if (cover >= 0)
		close(cover);
	return blank;
}

/* The blank, if the step hides what is no directory. 0 or -errno. */
static int clone_blank(const struct step *step, int blank, int *clone)
{
	struct stat found;
	int place = open_place(step->path);
	if (place < 0)
		return is_missing(place) ? 0 : place;
	int result = fstat(place, &found) == 0 ? 0 : -errno;
	close(place);
	if (result == 0 && !S_ISDIR(found.st_mode))
		result = *clone = clone_place(blank);
	return result < 0 ? result : 0;
}

/* What is kept or put elsewhere, as it is before anything is covered. What is kept may be missing. 0 or -errno. */
static int clone_source(const struct step *step, int *clone)
{
	int place = open_place(step->kind == STEP_REPLACE ? step->other : step->path);
	if (place < 0)
		return step->kind == STEP_KEEP && is_missing(place) ? 0 : place;
	int tree = *clone = clone_place(place);
	close(place);
	return tree < 0 ? tree : 0;
}

static int clone_sources(struct work *work, const u8 *spec, size_t length, struct step *step)
{
	struct reader reader = {.at = spec + 1, .left = length - 1};
	int result = 0;
	for (size_t i = 0; result == 0 && shield_next(&reader, step); i++) {
		work->clones[i] = -1;
		if (step->kind == STEP_KEEP || step->kind == STEP_REPLACE)
			result = clone_source(step, &work->clones[i]);
	}
	/* Only now: what is kept may lie where the blank is mounted. */
	const int blank = result < 0 ? result : put_blank();
	if (blank < 0)
		return blank;
	reader = (struct reader){.at = spec + 1, .left = length - 1};
	for (size_t i = 0; result == 0 && shield_next(&reader, step); i++)
		if (step->kind == STEP_HIDE)
			result = clone_blank(step, blank, &work->clones[i]);
	close(blank);
	if (umount2(blank_mount, MNT_DETACH) != 0 && result == 0)
		result = -errno;
	return result;
}

static int take_steps(struct work *work, const u8 *spec, size_t length, int *terminals_fd)
{
	struct step *step = malloc(sizeof *step);
	if (!step)
		return -ENOMEM;
	int result = clone_sources(work, spec, length, step);
	struct reader reader = {.at = spec + 1, .left = length - 1};
	for (size_t i = 0; result == 0 && shield_next(&reader, step); i++)
		result = take_step(work, step, work->clones[i], terminals_fd);
	for (size_t i = 0; result == 0 && i < work->cover_count; i++) {
		struct attributes read_only = {.set = ATTRIBUTE_READ_ONLY};
		/* Not what is kept below it. */
		result = call(syscall(NR_MOUNT_SETATTR, work->covers[i], "", EMPTY_PATH, &read_only, sizeof read_only));
	}
	free(step);
	return result;
}

int shield_steps(const u8 *spec, size_t length, int *terminals_fd)
{
	struct work work = {0};
	work.clones = calloc(SHIELD_STEPS_MAX, sizeof *work.clones);
	work.covers = calloc(SHIELD_STEPS_MAX, sizeof *work.covers);
	/* What is left open ends with this process, which makes one namespace and is done. */
	if (!work.clones || !work.covers)
		return -ENOMEM;
	return take_steps(&work, spec, length, terminals_fd);
}
