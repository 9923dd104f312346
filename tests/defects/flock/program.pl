#!/usr/bin/env perl
# Enters a worker's pending line in a shared ledger. Usage: program.pl op|recover|check DIR [WORKER]
use strict;
use warnings;
use Fcntl ':flock';
use IO::Handle;

my ($verb, $dir, $worker) = @ARGV;
$worker //= 'a';

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "cannot open $path: $!\n";
    local $/;
    my $text = <$file>;
    die "cannot read $path: $!\n" if $file->error;
    return $text // '';
}

sub save {
    my ($path, $text, $temporary) = @_;
    open my $file, '>:raw', $temporary or die "cannot write $temporary: $!\n";
    print {$file} $text and $file->flush and $file->sync or die "cannot write $temporary: $!\n";
    close $file or die "cannot write $temporary: $!\n";
    rename $temporary, $path or die "cannot replace $path: $!\n";
    open my $directory, '<', $dir or die "cannot open $dir: $!\n";
    $directory->sync or die "cannot sync $dir: $!\n";
}

sub fail { print "$_[0]\n"; exit 1 }

my %verbs = (
    op => sub {
        my $line = slurp("$dir/pending.$worker");
        open my $lock, '>', "$dir/lock" or die "cannot open the lock: $!\n";
        flock $lock, LOCK_EX or die "cannot lock: $!\n";
        save("$dir/ledger", slurp("$dir/ledger") . $line, "$dir/ledger.$worker");
        close $lock;
        unlink "$dir/pending.$worker" or die "cannot remove the pending line: $!\n";
    },
    recover => sub { unlink "$dir/ledger.a", "$dir/ledger.b" },
    check => sub {
        my $ledger = slurp("$dir/ledger");
        fail('The ledger is damaged.') if $ledger !~ /\Astart\n(?:[ab]\n)*\z/;
        for my $each ('a', 'b') {
            next if $ledger =~ /^$each$/m || -e "$dir/pending.$each";
            fail("The line of worker $each is neither pending nor in the ledger.");
        }
    },
);
$verbs{$verb}->();
