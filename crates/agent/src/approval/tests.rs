//! What is on the floor, spelled in many ways, and what only looks like it.

use super::*;

#[track_caller]
fn blocked(category: Category, commands: &[&str]) {
    for command in commands {
        let found = hardline(command).map(|reason| reason.category);
        assert_eq!(found, Some(category), "{command:?}");
    }
}

#[test]
fn deleting_the_system_is_seen_through_every_spelling() {
    blocked(
        Category::DeleteSystem,
        &[
            "rm -rf /",
            "rm -r -f /",
            "rm / -rf",
            "rm --recursive --force /",
            "rm --rec /",
            "rm -rf -- /",
            "rm -fr //",
            "rm -rf /*",
            "rm -rf /./",
            "rm -rf /tmp/../",
            "rm -rf /etc",
            "rm -rf /usr/*",
            "/bin/rm -rf /",
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf $HOME",
            "rm -rf \"${HOME}\"/*",
            "rm -rf /home/ada",
            "rm -rf /home/*",
            "rm -rf /Users/ada/",
            "r\\m -rf /",
            "r''m -rf /",
            "r\"\"m -rf '/'",
            "'rm' \"-rf\" /",
            "rm${IFS}-rf${IFS}/",
            "rm$IFS-rf$IFS/",
            "ｒｍ -rf /",
            "rm -rf ／",
            "rm \\\n -rf /",
            "r\\\nm -rf /",
            "\u{1b}[31mrm\u{1b}[0m -rf /",
            "r\0m -rf /",
            "$(echo rm) -rf /",
            "`echo rm` -rf /",
            "$(echo rm -rf /)",
            "$(printf 'rm') -rf /",
            "$'rm' -rf /",
            "$'\\x72\\x6d' -rf /",
            "a=rm; $a -rf /",
            "a=rm b=/; $a -rf $b",
            "rm -rf ${NOWHERE:-/}",
            "{rm,-rf,/}",
            "rm -rf /{bin,etc}",
            "echo hi; rm -rf /",
            "true && rm -rf /",
            "true&&rm -rf /",
            "false || rm -rf /",
            "ls | rm -rf /",
            "( rm -rf / )",
            "{ rm -rf /; }",
            "if true; then rm -rf /; fi",
            "for x in 1; do rm -rf /; done",
            "! rm -rf /",
            "f() { rm -rf /; }; f",
            "sudo rm -rf /",
            "sudo -u root -- rm -rf /",
            "sudo -n env A=b nice -n 5 rm -rf /",
            "timeout -k 1 5 rm -rf /",
            "nohup rm -rf / &",
            "command rm -rf /",
            "exec rm -rf /",
            "busybox rm -rf /",
            "bash -c 'rm -rf /'",
            "sh -lc \"rm -rf /\"",
            "bash -c \"bash -c 'rm -rf /'\"",
            "eval 'rm -rf /'",
            "eval rm -rf /",
            "echo 'rm -rf /' | sh",
            "printf 'rm -rf /\\n' | sudo bash -s",
            "bash <<< 'rm -rf /'",
            "bash <<EOF\nrm -rf /\nEOF",
            "echo / | xargs rm -rf",
            "echo \"$(rm -rf /)\"",
            "cat <(rm -rf /)",
            "cd / && rm -rf *",
            "cd /; rm -rf .",
            "cd; rm -rf ./*",
            "find / -delete",
            "find / -type f -delete",
            "find ~ -exec rm -rf {} +",
            "find . -exec sh -c 'rm -rf /' \\;",
            "trap 'rm -rf /' EXIT",
            "env -S 'rm -rf /'",
            "env -i -S'rm -rf /'",
            "env --split-string='rm -rf /'",
            "env A=b sudo -S rm -rf /",
            "sudo --user root rm -rf /",
            "flock /tmp/lock rm -rf /",
            "find . -exec sudo rm -rf / \\;",
            "bash <(x); rm -rf /",
            "su -c 'rm -rf /' root",
            "sudo sudo timeout 5 nohup setsid rm -rf /",
            "rm -rf \"/\"*",
            "VAR=1 rm -rf /",
            "rm -rf / > /dev/null 2>&1",
        ],
    );
}

#[test]
fn disks_and_the_machine_itself_are_on_the_floor() {
    blocked(
        Category::FormatDisk,
        &["mkfs.ext4 /dev/sdb1", "sudo mkfs -t xfs /dev/sda", "mke2fs disk.img", "mkswap /dev/sda2"],
    );
    blocked(
        Category::OverwriteDevice,
        &[
            "dd if=/dev/zero of=/dev/sda bs=1M",
            "dd of=/dev/nvme0n1p2 if=x",
            "cat image > /dev/sdb",
            "cat image >/dev/mapper/root",
            "echo x >| /dev/vda1",
            "cat x | sudo tee /dev/mmcblk0",
            "wipefs -a /dev/sda",
            "shred /dev/disk/by-id/ata-1",
            "cp image.iso /dev/disk2",
            "dd of=/dev/rdisk2",
            "> /dev/md0",
            "cat x >/dev/./loop0",
            "blkdiscard /dev/dm-0",
        ],
    );
    blocked(
        Category::ForkBomb,
        &[
            ":(){ :|:& };:",
            ":() { : | : & } ; :",
            "bomb(){ bomb|bomb& };bomb",
            "bash -c ':(){ :|:& };:'",
            "function f(){ f|f& };f",
        ],
    );
    blocked(Category::KillAll, &["kill -9 -1", "kill -1", "kill -s KILL -- -1", "kill -KILL -1", "sudo kill -TERM -1"]);
    blocked(
        Category::PowerOff,
        &[
            "reboot",
            "sudo reboot",
            "shutdown -h now",
            "/sbin/poweroff",
            "halt -f",
            "init 0",
            "telinit 6",
            "systemctl poweroff",
            "systemctl --force reboot",
            "systemctl kexec",
            "sleep 1; reboot",
            "echo x && `echo reboot`",
        ],
    );
}

#[test]
fn talking_about_it_is_allowed() {
    for command in [
        "echo reboot",
        "grep 'shutdown' log",
        "cp config.yaml bak",
        "command -v mkfs",
        "command -V reboot",
        "type reboot",
        "man shutdown",
        "shutdown -c",
        "reboot --help",
        "git commit -m 'never rm -rf /'",
        "git commit -m \"do not rm -rf / or reboot\"",
        "echo \"rm -rf /\"",
        "echo rm -rf /",
        "echo 'rm -rf /' > notes.txt",
        "cat <<EOF > doc.md\nrm -rf /\nreboot\nEOF",
        "grep -rn 'rm -rf /' . | sort",
        "ls # rm -rf /",
        "rm -rf ./build",
        "rm -rf /tmp/x",
        "rm -rf ~/project/target",
        "rm -rf /home/ada/project",
        "rm -rf /var/tmp/x",
        "rm -rf $BUILD_DIR/",
        "rm -rf \"$DIR\"",
        "rm /etc/motd",
        "rm -f /",
        "cd /tmp && rm -rf *",
        "rm -rf *",
        "find . -delete",
        "find / -name core -delete",
        "find / -name x",
        "dd if=/dev/sda of=disk.img",
        "dd if=/dev/zero of=./file",
        "cat /dev/sda > copy",
        "cat x > /dev/null",
        "echo x > /dev/tty",
        "ls -l /dev/sda",
        "wipefs /dev/sda",
        "kill -1 1234",
        "kill -HUP 1234",
        "kill -9 1234",
        "kill %1",
        "systemctl status reboot.target",
        "systemctl restart nginx",
        "init_db 0",
        "npm init 0",
        "f(){ g|g& }",
        "python -c 'print(\"reboot\")'",
        "sed 's/halt/stop/' file",
        "ssh host uptime",
        "for d in a b; do echo $d; done",
        "a=$(date); echo \"$a\"",
        "awk '{print $1}' file",
        "echo ${#x} ${x%.*} $((1+2))",
        "",
    ] {
        assert_eq!(hardline(command), None, "{command:?}");
    }
}

#[test]
fn what_cannot_be_read_does_not_run() {
    blocked(Category::Unreadable, &["a".repeat(128_001).as_str(), "x;".repeat(30_000).as_str()]);
    let nested = (0..40).fold("ls".to_owned(), |text, _| format!("$({text})"));
    blocked(Category::Unreadable, &[nested.as_str()]);
}

/// Each of these would take minutes or all memory if one step of the reader grew with the whole text.
#[test]
fn hostile_texts_are_read_in_one_pass() {
    for text in [
        format!("a=xxxxxxxx;{}echo $a", "a=$a$a;".repeat(15_000)),
        "sudo ".repeat(25_000),
        format!("echo {}|{}", "x ".repeat(30_000), "xargs ".repeat(10_000)),
        "(){".repeat(24_000),
        format!("cd {};{}", "y".repeat(60_000), "a;".repeat(20_000)),
        "{a,b}".repeat(25_000),
        "${".repeat(60_000),
        format!("a={};{}", "z".repeat(1_000), "$a".repeat(60_000)),
        "<<a ".repeat(30_000),
    ] {
        let _ = hardline(&text);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "[ -~\n\\\\'\"`$(){}<>|&;*~/]{0,200}") {
        let _ = hardline(&text);
    }

    #[test]
    fn quoted_prose_never_trips(words in "[a-z /~*-]{0,80}") {
        proptest::prop_assert_eq!(hardline(&format!("git commit -m 'rm -rf / {words}'")), None);
    }
}
